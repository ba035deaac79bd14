import type { GetProjectDetailsReply, Persona } from '../../../apis/knowledge-chat/types.gen.js'
import { isObject, type Json, type JsonObject } from '../../../engine/contract/load.js'
import { isReading, type Operation } from '../../../engine/contract/model.js'
import { type Call, callOf, type Input, withBody } from '../calls/request.js'
import { conforms, isReadable } from '../judge.js'
import { unknownNumber, unknownUuid } from '../kinds.js'
import type { KnownRows } from '../rows.js'
import type { Run } from '../run.js'
import { wholeBody } from '../scenes/personas.js'
import { inBatches } from './batches.js'

/** Texts that often break servers and databases. They must never cause a 5xx. */
export const texts = {
  'an emoji of several signs': '👩‍🚀🇨🇭',
  'combining marks': 'Z\u0351\u036b\u0343a\u0302\u0308',
  'right to left': '\u202eمرحبا שלום',
  'a NUL': 'a\u0000b',
  'half of a pair': 'a\ud800b',
  'ten thousand characters': 'x'.repeat(10_000),
  'quotes and percents': `'"\\%s%n%_{{7*7}}`,
  'brackets and signs of patterns': '(a[b{c*+?|^$',
  empty: ''
}

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

/** Addresses that cannot be opened. */
const addresses = [
  ...['http://[', 'http://kcm.invalid:99999/', 'http://', '//'],
  ...['kcm verify', 'http://%zz/', '', 'http://a\u0000b']
]

const files = {
  'an empty file': { name: 'empty.txt', text: '' },
  'a file of a NUL': { name: 'nul.txt', text: '\u0000' },
  'a file of another folder': { name: '../../kcm.txt', text: 'a' },
  'a file with a name of 300 characters': { name: `${'x'.repeat(296)}.txt`, text: 'a' },
  'a file with a name of several scripts': { name: '東京 👩‍🚀 é.txt', text: 'a' }
}

const numbers = {
  '2^31': 2_147_483_648,
  '2^63': '9223372036854775808',
  'a number of 40 digits': '9'.repeat(40),
  '-1': -1,
  zero: 0
}

/** Sends unusual texts and numbers, one at a time, in every place that takes one. */
export async function hostile(run: Run, rows: KnownRows, operation: Operation): Promise<void> {
  const example = Object.values(rows.examplesOf(operation))[0] ?? {}
  const base = run.needs.complete(operation, rows.filled(example, !isReading(operation)))
  // The credential does not exist.
  if (operation.id === 'linkCredential') base.path = { ...base.path, credential_id: unknownNumber }
  const inputs = [...inPath(operation, base), ...inFields(operation, base)]
  if (operation.input.body && !operation.form) {
    inputs.push(['body is empty', { ...base, body: {} }])
    const fields = Object.keys((operation.input.body.properties ?? {}) as JsonObject)
    const wrong = Object.fromEntries(fields.map((name) => [name, {}]))
    inputs.push(['every field of the body is an object', { ...base, body: wrong }])
    inputs.push(['body has a very deep field', { ...base, body: { ...(base.body as JsonObject), kcm_deep: deep } }])
  }
  const restore = await restoring(run, operation, base)
  const asked = (await inBatches(inputs, 8, ([, input]) => run.exactly(operation.id, input))).map(
    ([[title], exchange]) => [title, exchange] as const
  )
  for (const [title, call] of brokenBytes(operation, base)) asked.push([title, await run.send(call)])
  for (const [title, exchange] of asked) {
    if (exchange.reply.status >= 500 || exchange.reply.status === 422) conforms(run, exchange, { title }, 'missing')
    else run.results.held(operation.id, 'not_a_server_error')
  }
  await restore?.()
}

/** Texts that no client should send: bytes that are not UTF-8, in the path and in a body. */
function* brokenBytes(operation: Operation, base: Input): Iterable<[string, Call]> {
  const call = callOf(operation, base)
  if (operation.path.includes('{')) {
    const path = operation.path.replace(/\{\w+\}/g, '%E0%A4%A')
    yield ['the path has half of an encoded sign', { ...call, target: path }]
  }
  if (!operation.input.body || operation.form) return
  const text = JSON.stringify({ ...(base.body as JsonObject), kcm_bytes: 'a\u00ffb' })
  yield ['body has a byte that is no UTF-8', withBody(call, Buffer.from(text, 'latin1'))]
}

/** Returns a function that restores the row that the operation changes. */
async function restoring(run: Run, { id }: Operation, { path }: Input): Promise<(() => Promise<unknown>) | undefined> {
  if (id === 'updatePersona') {
    const read = await run.ask('getPersona', { path })
    if (isReadable(run, read)) return () => run.ask(id, { path, body: wholeBody(read.reply.body as Persona) })
  }
  if (id === 'setProjectInstructions') {
    const read = await run.ask('getProjectDetails', { path })
    if (!isReadable(run, read)) return undefined
    const { project } = read.reply.body as GetProjectDetailsReply
    return () => run.ask(id, { path, body: { instructions: project.instructions ?? '' } })
  }
  return undefined
}

/** Such ids may belong to other rows, so only reading operations and impossible ids are used. */
function* inPath(operation: Operation, base: Input): Iterable<[string, Input]> {
  for (const [name, schema] of Object.entries((operation.input.path?.properties ?? {}) as Record<string, JsonObject>)) {
    const values = schema.type === 'integer' ? Object.entries(numbers) : Object.entries(texts)
    for (const [what, value] of values) {
      if (!isReading(operation) && typeof value === 'number') continue
      if (what === 'half of a pair' || what === 'empty') continue
      yield [`path ${name} is ${what}`, { ...base, path: { ...base.path, [name]: value } }]
    }
  }
}

function* inFields(operation: Operation, base: Input): Iterable<[string, Input]> {
  if (operation.id === 'openUrls') {
    for (const url of addresses) yield [`body urls has ${JSON.stringify(url)}`, { ...base, body: { urls: [url] } }]
  }
  if (operation.id === 'inviteUsers') {
    for (const [what, text] of Object.entries(texts)) {
      yield [`body emails has ${what}`, { ...base, body: { emails: [`${text}@example.com`] } }]
    }
  }
  if (operation.id === 'openUrls' || operation.id === 'inviteUsers') return
  for (const part of ['body', 'query'] as const) {
    const given = isObject(base[part]) ? (base[part] as JsonObject) : {}
    const fields = Object.entries((operation.input[part]?.properties ?? {}) as Record<string, JsonObject>)
    for (const [name, schema] of fields) {
      const put = (what: string, value: Json): [string, Input] => [
        `${part} ${name} ${what}`,
        { ...base, [part]: { ...given, [name]: value } }
      ]
      const type = [schema.type].flat()[0]
      if (operation.form && /x-file|\$defs\/File/.test(JSON.stringify(schema))) {
        for (const [what, { name: called, text }] of Object.entries(files)) {
          const file = { 'x-file': { name: called, type: 'text/plain', text } }
          yield put(`is ${what}`, type === 'array' ? [file] : file)
        }
      }
      if (type === 'string' && !schema.format && !schema.enum && !name.endsWith('_id')) {
        for (const [what, value] of Object.entries(texts)) {
          if (part === 'body' || what !== 'half of a pair') yield put(`is ${what}`, value)
        }
      }
      if (type === 'integer') {
        for (const [what, value] of Object.entries(numbers)) yield put(`is ${what}`, Number(value))
      }
      if (type === 'object' && !operation.form) {
        for (const [what, value] of Object.entries(objects)) yield put(`is ${what}`, value as Json)
      }
      const items = isObject(schema.items) ? schema.items : {}
      const inside = Object.keys((items.properties ?? {}) as JsonObject)
      if (type === 'array' && ((items.type === 'string' && !items.format && !items.enum) || inside.length > 0)) {
        for (const [what, text] of Object.entries(texts)) {
          yield put(`has ${what}`, [inside.length > 0 ? Object.fromEntries(inside.map((it) => [it, text])) : text])
        }
      }
      if (type === 'array' && /_ids$|^(groups|users)$/.test(name)) {
        yield put('is of a row that does not exist', [items.type === 'integer' ? unknownNumber : unknownUuid])
      }
    }
  }
}
