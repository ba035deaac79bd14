import type { Contract } from '../../../engine/contract/contract.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import { unknownNumber, unknownUuid } from '../api.js'
import { callOf, type Input, urlEncoded, withBody } from '../calls/request.js'
import { isSame, judgeInput } from '../inputs/inputs.js'
import { conforms, verdict } from '../judge.js'
import { type Loc, locsOf } from '../learn/readings.js'
import { type KnownRows, namesUnknown } from '../rows.js'
import { inBatches, type Run } from '../run.js'
import { exampleOf } from './documents.js'
import { mayFail } from './missing.js'

/** Reads what an operation may change. Returns a function that restores it, if that is possible. */
export type Restore = (run: Run, id: string, input: Input) => Promise<(() => Promise<unknown>) | undefined>

/** Requests with one error. A server that accepts one might change rows, so only own or missing ones are named. */
export async function negative(run: Run, rows: KnownRows, { id }: Operation, restoring: Restore): Promise<void> {
  const operation = run.operation(id)
  const examples = Object.fromEntries(
    Object.entries(rows.examplesOf(operation)).map(([name, it]) => [
      name,
      run.needs.complete(operation, rows.filled(it, !operation.isReading))
    ])
  )
  const [example = {}] = Object.values(examples)
  const mutations = harmless(run, operation, [
    ...distinct(mutationsOf(run.readings.contractOf(id), operation, examples))
  ])
  await run.restoring(await restoring(run, id, example), async () => {
    const [rounds, single] = roundsOf(run, operation, mutations)
    const joined = await inBatches(rounds.slice(0, run.most), 8, (round) => unexplained(run, operation, round))
    single.splice(2 * run.most)
    single.push(...joined.flatMap(([, some]) => some))
    const trials = await inBatches(single, 16, async (mutation) => {
      const exchange = await run.exactly(id, mutation)
      // A server may report missing fields first.
      const isLacking = mutation.kind === 'value' && run.needs.learn(operation, mutation, exchange)
      return isLacking ? run.exactly(id, run.needs.complete(operation, mutation)) : exchange
    })
    for (const [mutation, exchange] of trials) {
      // A server may take null in an item for a field that is left out, and then shows the item without it.
      const isLeftOut = mutation.kind === 'null' && mutation.locs.some((loc) => loc.length > 2)
      if (isLeftOut && exchange.reply.status < 300) continue
      const isFailing = exchange.reply.status >= 500 && rows.lacks(mutation) && mayFail(run)
      judgeInput(run, exchange, mutation, {
        title: mutation.what,
        isMutation: true,
        isOpen: isOpen(run, mutation, id),
        mayRefuse: isFailing ? 'missing' : undefined,
        isWhole: mutation.kind === 'whole',
        isUnknownRow: !mutation.what.startsWith('path ') && namesUnknown(mutation)
      })
    }
    if (operation.form && operation.formType !== urlEncoded) await brokenForm(run, operation, example)
    else if (operation.input.body) {
      await brokenJson(run, operation, example)
      await otherTypes(run, operation, example)
    }
  })
}

/** Where rows stay for ever, what a server may accept is sent together with a value that it must refuse. */
function harmless(run: Run, { id, form }: Operation, mutations: Mutation[]): Mutation[] {
  if (!run.isLasting(id)) return mutations
  const isSure = (it: Mutation) =>
    !isOpen(run, it, id) && run.readings.input(id, it).every(({ locs }) => locs.length > 0)
  const sure = mutations.filter((it) => !form && it.kind === 'value' && isObject(it.body) && isSure(it))
  return mutations.flatMap((it) => {
    if (isSure(it) || !isObject(it.body)) return [it]
    const other = sure.find((some) => fieldOf(some) !== fieldOf(it))
    if (!other) return []
    const body = { ...it.body, [fieldOf(other)]: (other.body as JsonObject)[fieldOf(other)] as Json }
    return [
      { ...it, what: `${it.what}, ${other.what}`, body, locs: [...it.locs, ...other.locs], kind: 'whole' as const }
    ]
  })
}

/** The mutations of fields of a body in rounds, each with one mutation of every field. The others are sent separately. */
function roundsOf(run: Run, { id, form }: Operation, mutations: readonly Mutation[]): [Mutation[][], Mutation[]] {
  const { unnamed = [] } = run.api.operations[id] ?? {}
  const single: Mutation[] = []
  const rounds = new Map<string, Mutation[]>()
  const counts = new Map<string, number>()
  for (const mutation of mutations) {
    const { kind, body, locs } = mutation
    const [[part] = []] = locs
    const field = fieldOf(mutation)
    if (part !== 'body' || !isObject(body) || form || /whole|left-out/.test(kind) || unnamed.includes(field)) {
      const count = counts.get(field) ?? 0
      counts.set(field, count + 1)
      // A server may not know such a field, whatever its value is.
      if (!unnamed.includes(field) || count < 2) single.push(mutation)
      continue
    }
    const isSure = () => run.readings.input(id, mutation).every((it) => it.locs.length > 0)
    const group = isOpen(run, mutation, id) ? `open ${kind}` : isSure() ? 'wrong' : 'perhaps'
    const count = counts.get(`${group} ${field}`) ?? 0
    counts.set(`${group} ${field}`, count + 1)
    rounds.set(`${group} ${count}`, [...(rounds.get(`${group} ${count}`) ?? []), mutation])
  }
  return [[...rounds.values()], single]
}

const fieldOf = ({ locs }: Mutation) => String(locs[0]?.[1])

/** Sends several mutations at once. Returns those that have to be sent alone: the answer does not show enough. */
async function unexplained(run: Run, { id }: Operation, round: Mutation[]): Promise<Mutation[]> {
  const [first] = round as [Mutation]
  if (round.length === 1) return round
  const bodies = round.map((it) => [fieldOf(it), (it.body as JsonObject)[fieldOf(it)]])
  const body = { ...(first.body as JsonObject), ...Object.fromEntries(bodies) }
  const input: Input = { path: first.path, query: first.query, body }
  const exchange = await run.exactly(id, input)
  const { status } = exchange.reply
  const locs = locsOf(exchange)
  const isRefused = ({ locs: [place = []] }: Mutation) => locs.some((loc) => loc[1] === place[1])
  const isTaken = status < 300 || (status === 404 && namesUnknown(first))
  const isWhole = status === 422 && round.every(isRefused)
  if (!isTaken && status !== 422) return round
  const about = { title: `several fields: ${round.map(({ what }) => what).join(', ')}`.slice(0, 200), isMutation: true }
  if (isOpen(run, first, id)) {
    judgeInput(run, exchange, input, { ...about, isOpen: true })
    if (isTaken || isWhole) return []
    const rest = round.filter((it) => !isRefused(it))
    return rest.length < round.length ? unexplained(run, run.operation(id), rest) : round
  }
  const isExplained = run.readings
    .input(id, input)
    .some((it) => (status === 422 ? it.locs.length > 0 && isSame(it.locs, locs) : it.locs.length === 0))
  if (!isExplained || status === 404) return round
  judgeInput(run, exchange, input, about)
  return []
}

/** Examples share fields. Each way to break a field is tried once. */
function* distinct(mutations: Iterable<Mutation>): Iterable<Mutation> {
  const texts = new Set<string>()
  for (const mutation of mutations) {
    const what = mutation.what.replace(/^\S+ \S+: /, '')
    if (!texts.has(what)) yield { ...mutation, what }
    texts.add(what)
  }
}

/** What is left open: required and nullable fields, numbers as texts, true as a number, an empty text as missing. */
function isOpen({ api }: Run, { what, kind }: Mutation, id: string): boolean {
  if (kind === 'number-for-text') return true
  if (api.operations[id]?.isExplicit) return false
  return /^(left-out|null)$/.test(kind) || / is true$| is empty$|^no body$|^body is null$/.test(what)
}

async function brokenForm(run: Run, operation: Operation, input: Input): Promise<void> {
  const call = callOf(operation, input)
  const json = { title: 'JSON in the place of a form' }
  if (!conforms(run, await run.send(withBody(call, '{}')), json, 'unreadable-body')) return
  const exchange = await run.send(withBody(call, '--x\r\nnot a form', 'multipart/form-data; boundary=y'))
  const { status } = exchange.reply
  const about = { title: 'a form that cannot be read' }
  if (!conforms(run, exchange, about, 'unreadable-body')) return
  verdict(run, exchange, 'negative_data_rejection', status >= 400, 'a refusal', about)
  if (status === 400 || status === 422) {
    run.answers.add('errors.unreadable-body', String(status), `${operation.id}: ${about.title}`)
  }
}

/** 7.1 is about bad values. A body that is not JSON has none, and the status for it is not shown (7.3). */
async function brokenJson(run: Run, operation: Operation, input: Input): Promise<void> {
  const exchange = await run.send(withBody(callOf(operation, input), '{"a": '))
  const { status } = exchange.reply
  const about = { title: 'malformed JSON' }
  if (!conforms(run, exchange, about)) return
  if (!verdict(run, exchange, 'negative_data_rejection', status >= 400, '422, or another refusal', about)) return
  if (status !== 422) run.answers.add('errors.malformed-json', String(status), `${operation.id}: ${about.title}`)
  else {
    const passes = locsOf(exchange).every((loc) => loc[0] === 'body' && loc.length <= 2)
    verdict(run, exchange, 'validation_error_loc', passes, 'loc ["body", <offset>]', about)
  }
}

/** JSON under another type may be read as JSON. Other texts must be rejected, unless the body is optional. */
async function otherTypes(run: Run, operation: Operation, input: Input): Promise<void> {
  const { id } = operation
  const send = async (body: string, title: string) => {
    const exchange = await run.send(withBody(callOf(operation, input), body, 'text/plain'))
    return conforms(run, exchange, { title }) ? exchange : undefined
  }
  const isKnown = run.answers.get('requests.other-type') !== undefined
  const json =
    isKnown || run.isLasting(id)
      ? undefined
      : await send(JSON.stringify(input.body ?? {}), 'the same body as text/plain')
  if (json) run.answers.add('requests.other-type', json.reply.status < 300 ? 'json' : 'refused', `${id} as text/plain`)
  const title = 'a text that is not JSON, as text/plain'
  const text = await send('kcm verify', title)
  if (!text) return
  const isRefused = text.reply.status >= 400
  const isIgnored = !isRefused && (await run.exactly(id, { ...input, body: undefined })).reply.status < 300
  verdict(run, text, 'media_type_rejection', isRefused || isIgnored, '422: it is not JSON', { title })
}

/** A valid input with one error, and the place that the 422 must name. */
export interface Mutation extends Input {
  what: string
  path: JsonObject
  query: JsonObject
  locs: Loc[]
  kind: MutationKind
}

/** `bound`: beyond the bounds of a document. `whole`: the whole body. `value`: any other wrong value. */
export type MutationKind = 'left-out' | 'null' | 'number-for-text' | 'value' | 'bound' | 'whole'

/** Every way to break an example in one place, also in fields that it does not have. */
export function* mutationsOf(
  contract: Contract,
  operation: Operation,
  examples: Record<string, Input> = operation.examples
): Iterable<Mutation> {
  for (const [example, { path = {}, query = {}, body }] of Object.entries(examples)) {
    const title = (what: string) => `${operation.id} ${example}: ${what}`
    for (const part of ['path', 'query'] as const) {
      const values = { path, query }[part]
      for (const [name, schema] of Object.entries((operation.input[part]?.properties ?? {}) as JsonObject)) {
        const at = { path, query, body, locs: [[part, name]] }
        for (const [what, wrong] of wrongTexts(schemaOf(contract.documents, schema))) {
          if (part === 'path' && (wrong === '' || (/^0x|^1\.5$/.test(wrong) && !operation.isReading))) continue
          yield { ...at, what: title(`${part} ${name} ${what}`), [part]: { ...values, [name]: wrong }, kind: 'value' }
        }
        if (part === 'path' || !contract.api.document) continue
        for (const [what, wrong] of outside(contract, schema))
          yield { ...at, what: title(`query ${name} ${what}`), query: { ...query, [name]: wrong }, kind: 'bound' }
      }
    }
    if (!operation.input.body || body === undefined) continue
    yield { what: title('no body'), path, query, body: undefined, locs: bodyLocs(operation), kind: 'whole' }
    const broken = wrongValues(contract, operation.input.body, body, ['body'], operation.form)
    for (const { what, value, loc, kind } of broken) {
      const isWhole = loc.length === 1
      const locs = isWhole ? bodyLocs(operation) : [loc]
      yield { what: title(`${loc.join('.')} ${what}`), path, query, body: value, locs, kind: isWhole ? 'whole' : kind }
    }
  }
}

/** The place of a missing body: the body itself, its one embedded parameter, or each field of a form. */
function bodyLocs({ form, input: { body } }: Operation): Loc[] {
  if (!form && !body?.['x-embedded']) return [['body']]
  return ((body?.required ?? []) as string[]).map((name) => ['body', name])
}

/** Neither one of the values that the description names, nor like those that it omits. */
const noName = 'No Value: 7!'

/** A name that a look-up in an object finds although it was never added. */
const inherited = 'toString'

function* wrongTexts(schema: JsonObject): Iterable<[string, string]> {
  if (schema.type === 'integer')
    yield* [
      ['is a word', 'seven'],
      ['is a fraction', '1.5'],
      ['is a hexadecimal number', `0x${unknownNumber.toString(16)}`],
      ['is empty', '']
    ] as [string, string][]
  if (schema.type === 'boolean') yield ['is not a boolean', 'perhaps']
  if (schema.format === 'uuid')
    yield* [
      ['is not a UUID', 'not-a-uuid'],
      ['is cut', '2d1f3c58-4b0e-4f6a-9d8e-6f0a0e9b7c1'],
      ['has an extra letter', '2d1f3c58-4b0e-4f6a-9d8e-6f0a0e9b7c10a']
    ] as [string, string][]
  if (schema.enum) yield ['is not one of its values', 'zz']
  if (schema.enum || schema.pattern) {
    yield ['is not a name at all', noName]
    yield ['is an inherited property', inherited]
  }
  if (schema.minimum !== undefined) yield ['is too small', String(Number(schema.minimum) - 1)]
  if (schema.maximum !== undefined) yield ['is too large', String(Number(schema.maximum) + 1)]
}

/** Values of the right type that are beyond what a schema allows. */
function* outside(contract: Contract, source: Json): Iterable<[string, Json]> {
  const schema = schemaOf(contract.documents, source)
  const { type, format, items = {} } = schema
  const isOf = (...names: string[]) => [type].flat().some((it) => names.includes(it as string))
  const number = (name: string) => (typeof schema[name] === 'number' ? (schema[name] as number) : undefined)
  if (isOf('integer', 'number')) {
    const exclusive = [number('exclusiveMinimum'), number('exclusiveMaximum')]
    const [least, most] = [number('minimum') ?? exclusive[0], number('maximum') ?? exclusive[1]]
    if (least !== undefined) yield ['is too small', least - 1]
    if (most !== undefined) yield ['is too large', most + 1]
    for (const it of exclusive) if (it !== undefined) yield [`is ${it}`, it]
  }
  if (isOf('string')) {
    const [short = 0, long = Infinity] = [number('minLength'), number('maxLength')]
    if (short > 0) yield ['is too short', 'a'.repeat(short - 1)]
    if (long < 20_000) yield ['is too long', 'a'.repeat(long + 1)]
    if (schema.enum !== undefined) yield ['is not one of its values', noName]
    if (schema.pattern !== undefined) yield ['has another form', noName]
    const formats: Record<string, string> = {
      date: 'someday',
      email: 'nobody',
      uuid: 'not-a-uuid',
      'date-time': 'yesterday'
    }
    const wrong = formats[String(format)]
    if (wrong !== undefined) yield [`is not a valid ${format}`, wrong]
  }
  if (!isOf('array')) return
  const item = exampleOf(contract, items) ?? sampleOf(contract, items)
  if (schema.uniqueItems === true) yield ['has an item twice', [item, item]]
  const many = number('maxItems') ?? Infinity
  if (many < 100) yield ['has too many items', Array.from({ length: many + 1 }, () => item)]
}

type BrokenValue = Pick<Mutation, 'what' | 'kind'> & { value: Json | undefined; loc: Loc }

function* wrongValues(contract: Contract, source: Json, value: Json, loc: Loc, form: boolean): Iterable<BrokenValue> {
  const schema = schemaOf(contract.documents, source)
  if (!(form && loc.length > 0 && schema.type !== 'array')) {
    // In a form, a text instead of a list of files is a list with one text.
    const place = form && loc.length > 1 ? [...loc, 0] : loc
    for (const wrong of wrongTypes(schema, value)) {
      if (form && typeof wrong !== 'string') continue
      // List items are never null. Whether a field may be null is tested elsewhere.
      const isText = [schema.type].flat().includes('string') && !schema.format && !schema.enum
      const isNull = wrong === null && typeof loc.at(-1) === 'string'
      const kind = isNull ? 'null' : wrong === 7 && isText ? 'number-for-text' : 'value'
      yield { what: `is ${JSON.stringify(wrong)}`, value: wrong, loc: place, kind }
    }
  }
  if (contract.api.document)
    for (const [what, wrong] of outside(contract, schema)) yield { what, value: wrong, loc, kind: 'bound' }
  if (form && 'x-file' in schema && !Array.isArray(value)) {
    yield { what: 'is a text', value: 'seven', loc, kind: 'value' }
  }
  if (typeof schema.minItems === 'number' && schema.minItems > 0)
    yield { what: 'is empty', value: [], loc, kind: 'value' }
  if (Array.isArray(value) && !form) {
    const list = value.length > 0 ? value : [sampleOf(contract, schema.items ?? {})]
    for (const [index, item] of list.entries()) {
      const isLast = index === list.length - 1
      for (const wrong of wrongValues(contract, schema.items as Json, item, [...loc, index], form)) {
        yield { ...wrong, value: list.with(index, wrong.value as Json) }
        // Of the others, one shows that they are looked at.
        if (!isLast) break
      }
    }
  }
  if (!isObject(value) || !isObject(schema.properties)) return
  for (const name of (schema.required ?? []) as string[]) {
    const { [name]: _dropped, ...rest } = value
    yield { what: 'is dropped', value: rest, loc: [...loc, name], kind: 'left-out' }
  }
  for (const [name, field] of Object.entries(schema.properties)) {
    for (const wrong of wrongValues(contract, field, value[name] ?? sampleOf(contract, field), [...loc, name], form)) {
      yield { ...wrong, value: { ...value, [name]: wrong.value as Json } }
    }
  }
}

/** Values of all types that the schema does not allow, and of its type with a wrong format. */
function* wrongTypes(schema: JsonObject, value: Json): Iterable<Json> {
  const types = [schema.type].flat() as Json[]
  const takes = (type: string) => types.includes(type)
  if ('x-file' in schema) return
  if (schema.enum || schema.anyOf) {
    yield* ['zz', noName, inherited, 7, {}, []]
    return
  }
  if (!takes('null') && value !== null) yield null
  if (!takes('string')) yield 'seven'
  // A body is of one type, or of none.
  if (takes('object') && isObject(schema.properties)) return void (yield [])
  if (!takes('integer') && !takes('number')) yield 7
  if (takes('integer')) yield* [1.5, '7']
  if (!takes('boolean')) yield true
  if (!takes('array')) yield []
  if (!takes('object')) yield {}
  if (schema.format === 'uuid') yield 'not-a-uuid'
  if (schema.format === 'date-time') yield* ['yesterday', '2025-02-30T04:05:06Z', 'Mon, 03 Feb 2025 04:05:06 GMT']
  if (schema.pattern) yield* [noName, inherited]
}

/** A value of the right type that should not occur on the server. Schemas may refer to themselves. */
function sampleOf(contract: Contract, source: Json, level = 0): Json {
  const schema = level > 4 ? {} : schemaOf(contract.documents, source)
  if (schema.enum) return (schema.enum as Json[])[0] as Json
  if (Array.isArray(schema.anyOf)) return sampleOf(contract, schema.anyOf[0] as Json, level + 1)
  if ('x-file' in schema) return { 'x-file': { name: 'a.txt', type: 'text/plain', text: 'a' } }
  switch ([schema.type].flat()[0]) {
    case 'array':
      return [sampleOf(contract, schema.items ?? {}, level + 1)]
    case 'object': {
      const fields = Object.entries((schema.properties ?? {}) as JsonObject)
      return Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(contract, field, level + 1)]))
    }
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return (schema.minimum ?? 1) as Json
    default:
      return { uuid: unknownUuid, 'date-time': '2026-01-01T00:00:00Z' }[String(schema.format)] ?? 'a'
  }
}
