import { isObject, type Json, type JsonObject } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import { groupBy } from '../../texts.js'
import { unknownNumber, unknownUuid } from '../api.js'
import { type Call, callOf, type Input, withBody } from '../calls/request.js'
import { conforms } from '../judge.js'
import { locsOf } from '../learn/readings.js'
import { type KnownRows, namesUnknown } from '../rows.js'
import { inBatches, type Run } from '../run.js'
import type { Restore } from './negative.js'

/** Texts that often break servers and databases. They must never cause a 5xx. */
export const texts = {
  'unusual characters': `&<>"'\`\\ %s%n%_{{7*7}} (a[b{c*+?|^$ 👩‍🚀🇨🇭 Z\u0351\u036b\u0343a\u0302\u0308 \u202eمرحبا שלום iIıİ ßẞ`,
  'a NUL': 'a\u0000b',
  'half of a surrogate pair': 'a\ud800b',
  'ten thousand characters': 'x'.repeat(10_000),
  empty: ''
}

/** What servers often change in a text before they store it: spaces, composed letters, markup, quotes, escapes, case. */
export const changeable = ` e\u0301 é  &<>&amp; "'\\ “a” ’ – %41+1%20 👩‍🚀 MiXeD `

/** The same, with several lines. */
export const lines = `\r\n${changeable}\r\n\t- ${changeable}\n`

/** Texts that are easily taken for other values. */
export const words = ['null', '0', 'true', '007']

/** Objects that often break servers, for fields that accept any object. */
const objects = {
  'a map of texts': { web: 'kcm', file: '' },
  'a map of nulls': { web: null },
  'a map of lists': { web: [1, ['a', null]], paths: [] },
  'a map of maps': { web: { a: { b: null } }, paths: { '/a': null } },
  'a map of large numbers': { web: 1e300, file: -1.5 },
  'a map of unusual names': { '': 1, '👩‍🚀': 1, 'a\u0000b': 1, __proto__: 1, $ref: '#/kcm' }
}

/** Twelve hundred nested lists: more than the usual limit of recursion. */
const deep = JSON.parse(`${'['.repeat(1200)}${']'.repeat(1200)}`) as Json

const fileOf = (name: string, text: string) => ({ 'x-file': { name, type: 'text/plain', text } })

const files = {
  'an empty file': fileOf('empty.txt', ''),
  'a file with a NUL': fileOf('nul.txt', '\u0000'),
  'a file in another folder': fileOf('../../kcm.txt', 'a'),
  'a file with a name of 300 characters': fileOf(`${'x'.repeat(296)}.txt`, 'a'),
  'a file with a name of several scripts': fileOf('東京 👩‍🚀 é.txt', 'a')
}

const numbers = { '2^31': 2_147_483_648, '2^63': '9223372036854775808', '-1': -1, zero: 0 }

/** Sends unusual texts and numbers, one at a time, in every place that takes one. */
export async function hostile(run: Run, rows: KnownRows, operation: Operation, restoring: Restore): Promise<void> {
  const { unusual, unusualFor } = run.api.operations[operation.id] ?? {}
  const base = run.needs.complete(operation, rows.exampleOf(operation, !operation.isReading))
  if (unusualFor !== undefined) base.path = { ...base.path, [unusualFor]: unknownNumber }
  const unusualBodies = unusual?.(texts)
  // Where rows stay for ever, a wrong field keeps the server from creating them.
  const wrong = run.isLasting(operation.id) ? (unusualBodies?.[0]?.[1] ?? wrongField(operation)) : {}
  if (isObject(base.body)) base.body = { ...base.body, ...wrong }
  const bodies = unusualBodies?.map(([what, body]): Titled => [`body ${what}`, { ...base, body }])
  const fields = bodies ? [] : [...inFields(run, operation)].filter(({ name }) => !(name in wrong))
  const inputs = [...inPath(operation, base), ...(bodies ?? [])].slice(0, run.most)
  if (operation.input.body && !operation.form) {
    inputs.push(['body is empty', { ...base, body: {} }])
    inputs.push(['body has a very deep field', { ...base, body: { ...(base.body as JsonObject), kcm_deep: deep } }])
  }
  await run.restoring(await restoring(run, operation.id, base), async () => {
    const groups = groupBy(fields, ({ part, name, what }) => {
      return `${operation.form ? name : isOfServer(run, name)} ${part} ${what.replace(/^(is|has) /, '')}`
    })
    const joined = await inBatches(groups.slice(0, 3 * run.most), 8, ([, group]) =>
      unexplained(run, operation, base, group)
    )
    inputs.push(...joined.flatMap(([, some]) => some))
    const trials = (await inBatches(inputs, 8, ([, input]) => run.exactly(operation.id, input))).map(
      ([[title], exchange]) => [title, exchange] as const
    )
    for (const [title, call] of brokenBytes(operation, base)) trials.push([title, await run.send(call)])
    for (const [title, exchange] of trials) {
      if (exchange.reply.status >= 500 || exchange.reply.status === 422) conforms(run, exchange, { title }, 'missing')
      else run.results.held(operation.id, 'not_a_server_error')
    }
  })
}

/** A field that takes no object, with an object. */
function wrongField({ input: { body } }: Operation): JsonObject {
  const fields = Object.entries((body?.properties ?? {}) as Record<string, JsonObject>)
  const [name] = fields.find(([, { type }]) => type === 'boolean') ?? []
  return name === undefined ? {} : { [name]: {} }
}

/** Whether the valid values of a field depend on the server. */
const isOfServer = ({ api }: Run, name: string) => api.limited.test(name) || api.referring.test(name)

/** Sends the unusual values of several fields in one request. Returns a request for each, unless all were accepted. */
async function unexplained(run: Run, operation: Operation, base: Input, group: UnusualField[]): Promise<Titled[]> {
  const [first] = group
  const { part = 'body' } = first ?? {}
  const withFields = (some: UnusualField[]): Input => {
    const fields = isObject(base[part]) ? base[part] : {}
    return { ...base, [part]: { ...fields, ...Object.fromEntries(some.map(({ name, value }) => [name, value])) } }
  }
  const single = group.map((it): Titled => [`${part} ${it.name} ${it.what}`, withFields([it])])
  if (group.length === 1) return single
  const exchange = await run.exactly(operation.id, withFields(group))
  const { status } = exchange.reply
  const refused = locsOf(exchange)
  const rest = group.filter(({ name }) => !refused.some((loc) => loc[1] === name))
  if (status === 422) conforms(run, exchange, { title: `${part} ${first?.what}` }, 'missing')
  // What names a row that does not exist was looked up.
  const isLookedUp = namesUnknown(base) || group.every(({ name }) => run.api.referring.test(name))
  const isEach = run.isLasting(operation.id) || rest.length === 0
  const isDone = status < 300 || (status === 404 && isLookedUp) || (status === 422 && isEach)
  if (!isDone) return status === 422 && rest.length < group.length ? unexplained(run, operation, base, rest) : single
  for (const _ of group) run.results.held(operation.id, 'not_a_server_error')
  return []
}

/** Texts that no client should send: bytes that are not UTF-8, in the path and in a body. */
function* brokenBytes(operation: Operation, base: Input): Iterable<[string, Call]> {
  const call = callOf(operation, base)
  if (operation.path.includes('{')) {
    const path = operation.path.replace(/\{\w+\}/g, '%E0%A4%A')
    yield ['the path has half of an encoded character', { ...call, target: path }]
  }
  if (!operation.input.body || operation.form) return
  const text = JSON.stringify({ ...(base.body as JsonObject), kcm_bytes: 'a\u00ffb' })
  yield ['body has a byte that is not UTF-8', withBody(call, Buffer.from(text, 'latin1'))]
}

/** Such ids may belong to other rows, so only reading operations and impossible ids are used. */
function* inPath(operation: Operation, base: Input): Iterable<Titled> {
  for (const [name, schema] of Object.entries((operation.input.path?.properties ?? {}) as Record<string, JsonObject>)) {
    for (const [what, value] of schema.type === 'integer' ? Object.entries(numbers) : Object.entries(texts)) {
      if (!operation.isReading && typeof value === 'number') continue
      if (what === 'half of a surrogate pair' || what === 'empty') continue
      yield [`path ${name} is ${what}`, { ...base, path: { ...base.path, [name]: value } }]
    }
  }
}

type Titled = [title: string, input: Input]

type UnusualField = { part: 'body' | 'query'; name: string; what: string; value: Json }

function* inFields({ api }: Run, operation: Operation): Iterable<UnusualField> {
  for (const part of ['body', 'query'] as const) {
    const fields = Object.entries((operation.input[part]?.properties ?? {}) as Record<string, JsonObject>)
    for (const [name, schema] of fields) {
      for (const [what, value] of unusualValues(operation, name, schema)) {
        // A URL cannot have it.
        if (part === 'query' && what === 'is half of a surrogate pair') continue
        yield { part, name, what, value }
      }
      if ([schema.type].flat()[0] === 'array' && api.naming.test(name)) {
        const id = isObject(schema.items) && schema.items.type === 'integer' ? unknownNumber : unknownUuid
        yield { part, name, what: 'is of a row that does not exist', value: [id] }
      }
    }
  }
}

function* unusualValues({ form }: Operation, name: string, schema: JsonObject): Iterable<[string, Json]> {
  const type = [schema.type].flat()[0]
  const isText = (it: JsonObject) => !it.format && !it.enum
  const are = (values: Record<string, unknown>, of = (value: unknown) => value) =>
    Object.entries(values).map(([what, value]): [string, Json] => [`is ${what}`, of(value) as Json])
  if (form && /x-file|\$defs\/File/.test(JSON.stringify(schema))) {
    yield* are(files, (file) => (type === 'array' ? [file] : file))
  }
  if (type === 'string' && isText(schema) && !name.endsWith('_id')) yield* are(texts)
  if (type === 'integer') yield* are(numbers, Number)
  if (type === 'object' && !form) yield* are(objects)
  if (type !== 'array') return
  const items = isObject(schema.items) ? schema.items : {}
  const inside = Object.keys((items.properties ?? {}) as JsonObject)
  if (inside.length === 0 && !(items.type === 'string' && isText(items))) return
  for (const [what, text] of Object.entries(texts)) {
    yield [`has ${what}`, [inside.length > 0 ? Object.fromEntries(inside.map((it) => [it, text])) : text]]
  }
}
