import type { Contract } from '../../contract/contract.js'
import { isJsonType, parseJson } from '../../contract/json.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../../contract/load.js'
import { forType } from '../../contract/match.js'
import { readQuery } from '../../contract/message/query.js'
import { typeIn } from '../../contract/message/reply.js'
import type { InputError, Operation, RawInput } from '../../contract/model.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import type { JournalDetail } from '../../contract/types.gen.js'
import { coercionUnder, unknownUnder } from '../../contract/validation/validate.js'
import { nearMisses } from '../../journal/near-misses.js'
import type { Recorded } from '../../journal/recorded.js'
import { rawInputOf } from '../../serve/check.js'
import { type ControlRules, invalid } from '../rule.js'
import { callProblems } from '../scenarios/check-scenario.js'
import { requestOfCall, type StepRequest, targetOf } from '../scenarios/request.js'

const base = 'http://mock.invalid'

export const callCheckRules: ControlRules<'checkCall'> = {
  checkCall({ body: call }, { contract, sandbox: { choices } }) {
    const mistakes = callProblems(contract, call)
    if (mistakes.length > 0) throw new Invalid(mistakes.map((it) => ({ ...it, loc: ['body', ...it.loc] })))
    const request = requestOfCall(contract, call)
    // As clients read URLs: without dot segments and fragments.
    const { pathname: path, search } = URL.canParse(request.target, base)
      ? new URL(request.target, base)
      : { pathname: request.target, search: '' }
    const match = contract.match(request.method, path)
    if (match.kind !== 'operation') {
      const near_misses = nearMisses(contract.operations.values(), request.method, path)
      return { operation: null, held: false, problems: [], violations: [], near_misses }
    }
    const operation = forType(match.operation, typeIn(request.headers))
    const body = bodyOf(operation, request)
    const problems: InputError[] = []
    const violations: string[] = []
    if ('malformed' in body) problems.push(body.malformed)
    else {
      const message = {
        path: match.params,
        query: readQuery(search.slice(1), () => 'last', operation.lists),
        headers: Object.fromEntries(Object.entries(request.headers).map(([name, text]) => [name.toLowerCase(), text])),
        cookies: () => ({})
      }
      const raw = rawInputOf(operation, message, body.value)
      const checked = contract.checkInput(operation, raw, coercionUnder(choices), new Set())
      const unknown = unknownUnder(choices, checked.unknown)
      problems.push(...checked.problems, ...unknown.problems)
      violations.push(...unknown.violations)
    }
    const entry = { method: request.method, url: request.target, violations }
    const sent = { body: 'value' in body ? body.value : undefined }
    return {
      operation: operation.id,
      held: problems.length + violations.length === 0,
      problems: problems.map((problem) => ({ ...problem })),
      violations,
      ...adviceFor(contract, operation, { entry, request: sent }, problems)
    }
  }
}

/** The body as the operation reads it. Throws an Invalid for the bytes of a form, which are read only when it is sent. */
function bodyOf(operation: Operation, { headers, body }: StepRequest): { value: unknown } | { malformed: InputError } {
  if (!operation.input.body || body === undefined) return { value: undefined }
  const type = typeIn(headers)
  if (operation.form) {
    if (type !== undefined && !/^multipart\/form-data/i.test(type)) return { value: {} }
    if ('form' in body) return { value: withFiles(body.form as Json) }
    throw invalid(['body'], 'The bytes of a form are only read when it is sent. Give its fields in `body`.')
  }
  if ('form' in body) return { value: undefined }
  const text =
    'json' in body
      ? JSON.stringify(body.json)
      : 'text' in body
        ? body.text
        : Buffer.from(body.base64, 'base64').toString()
  if (text === '') return { value: undefined }
  if (operation.media !== undefined || (type !== undefined && !isJsonType(type))) return { value: text }
  const read = parseJson(text)
  if ('value' in read) return read
  const { offset, error } = read
  return {
    malformed: { type: 'json_invalid', loc: ['body', offset], msg: 'JSON decode error', input: {}, ctx: { error } }
  }
}

/** The fields of a form with their files as the contract checks them: without contents. */
function withFiles(value: Json): unknown {
  if (Array.isArray(value)) return value.map(withFiles)
  if (!isObject(value)) return value
  if (!isObject(value['x-file']))
    return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, withFiles(it)]))
  const { name = 'file', type = 'application/octet-stream' } = value['x-file']
  return { name, type, bytes: new Uint8Array() }
}

type Advice = NonNullable<JournalDetail['advice']>[number]
type Loc = InputError['loc']

/** A request that was sent, or could be. */
interface InvalidExchange {
  entry: Pick<Recorded['entry'], 'method' | 'url' | 'violations'>
  request: { body?: unknown }
}

/** Deeper places of examples are not searched. */
const deepest = 6

/** The number of wrong places that are reported. For each value that is tried, the whole request is checked. */
const mostPlaces = 10

/**
 * What the contract says about the wrong places of a request, and valid values for them. `corrected` is the request with all of
 * these, if it then fits the contract.
 */
export function adviceFor(
  contract: Contract,
  operation: Operation,
  { entry, request }: InvalidExchange,
  problems: readonly InputError[]
): Pick<JournalDetail, 'advice' | 'corrected'> {
  const raw = rawOf(contract, entry.method, entry.url, request.body)
  const places: Loc[] = problems
    .filter(({ type }) => type !== 'json_invalid')
    .slice(0, mostPlaces)
    .map(({ loc }) => loc)
  if (!raw || operation.form) return {}
  let fixed = raw
  const advice: Advice[] = places.flatMap((loc) => {
    const says = describing(contract, operation, loc)
    const value = candidates(contract, operation, loc, at(raw, loc)).find((candidate) =>
      isTaken(contract, operation, withValue(raw, loc, candidate), loc)
    )
    if (value !== undefined) fixed = withValue(fixed, loc, value)
    if (value === undefined && says === undefined) return []
    return [{ loc, ...(says !== undefined && { says }), ...(value !== undefined && { value }) }]
  })
  for (const violation of entry.violations.slice(0, mostPlaces)) {
    const place = /^((?:body|query)\.\S+) is not in the contract$/.exec(violation)?.[1]?.split('.')
    if (!place) continue
    advice.push({ loc: place, remove: true })
    fixed = withValue(fixed, place, undefined)
  }
  if (advice.length === 0) return {}
  const { problems: rest, unknown } = contract.checkInput(operation, fixed, 'strict', new Set())
  const isGood = rest.length + unknown.length === 0 && fixed !== raw
  const { body: sent } = fixed
  return {
    advice,
    ...(isGood && {
      corrected: {
        url: targetOf(operation, { path: fixed.path, query: operation.input.query && fixed.query }),
        ...(!(isObject(sent) && Object.keys(sent).length === 0) && { body: sent })
      }
    })
  }
}

function rawOf(contract: Contract, method: string, url: string, body: unknown): RawInput | undefined {
  const [path = '', ...search] = url.split('?')
  const match = contract.match(method, path)
  if (match.kind !== 'operation') return undefined
  return { path: match.params, query: Object.fromEntries(new URLSearchParams(search.join('?'))), body: body ?? {} }
}

function isTaken(contract: Contract, operation: Operation, raw: RawInput, loc: Loc): boolean {
  const { problems } = contract.checkInput(operation, raw, 'strict', new Set())
  return !problems.some((problem) => loc.every((step, index) => String(problem.loc[index]) === String(step)))
}

/** Values that may be valid, likeliest first: the sent one in the right type, those of examples, any of the type. */
function candidates({ documents }: Contract, operation: Operation, loc: Loc, sent: unknown): Json[] {
  const schema = schemaAt(documents, operation, loc)
  const { type, enum: values, default: usual, minimum, minItems } = schema
  const types = [type].flat()
  const list: (Json | undefined)[] = ((values as Json[]) ?? []).filter((value) => isNear(value, sent))
  const isNumber = types.includes('integer') || types.includes('number')
  if (isNumber && typeof sent === 'string' && sent.trim() !== '') list.push(Number(sent), Number.parseInt(sent, 10))
  if (types.includes('boolean') && isNear(true, sent)) list.push(true)
  if (types.includes('boolean') && isNear(false, sent)) list.push(false)
  if (types.includes('string') && ['number', 'boolean'].includes(typeof sent)) list.push(String(sent))
  if (types.includes('array') && sent !== undefined && sent !== null) list.push([sent as Json])
  for (const example of Object.values(operation.examples)) list.push(at(example as unknown as RawInput, loc) as Json)
  for (const { examples } of Object.values(operation.responses)) {
    const name = loc.at(-1)
    if (typeof name === 'string') list.push(fieldIn(examples as Json, name, deepest))
  }
  list.push(usual as Json, ...((values as Json[]) ?? []))
  if (isNumber) list.push((minimum as number) ?? 1)
  if (types.includes('string')) list.push('text')
  if (types.includes('boolean')) list.push(true)
  if (types.includes('array') && !minItems) list.push([])
  return list.filter((value): value is Json => value !== undefined && !Number.isNaN(value))
}

function isNear(value: Json, sent: unknown): boolean {
  return String(value).toLowerCase() === String(sent).trim().toLowerCase()
}

function fieldIn(value: Json | undefined, name: string, depth: number): Json | undefined {
  if (depth === 0 || typeof value !== 'object' || value === null) return undefined
  if (isObject(value) && name in value && value[name] !== null) return value[name]
  for (const item of Object.values(value)) {
    const match = fieldIn(item as Json, name, depth - 1)
    if (match !== undefined) return match
  }
  return undefined
}

/** The description of the nearest field around a place. */
function describing({ documents }: Contract, operation: Operation, loc: Loc): string | undefined {
  for (let end = loc.length; end > 1; end--) {
    const { description } = schemaAt(documents, operation, loc.slice(0, end))
    if (typeof description === 'string') return description
  }
  return undefined
}

function schemaAt(documents: Contract['documents'], { input }: Operation, [part, ...steps]: Loc): JsonObject {
  let schema = schemaOf(documents, input[part as 'body'])
  for (const step of steps) {
    const branches = [
      schema,
      ...[schema.anyOf, schema.oneOf, schema.allOf].flat().map((it) => schemaOf(documents, it as Json))
    ]
    const next = branches.map(({ properties, items }) =>
      typeof step === 'number' ? items : (properties as JsonObject)?.[step]
    )
    schema = schemaOf(documents, next.find((it) => it !== undefined) as Json)
  }
  return schema
}

function at(raw: RawInput, loc: Loc): unknown {
  return loc.reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], raw)
}

/** A copy with another value at a place. Undefined removes the field. */
function withValue(raw: RawInput, loc: Loc, value: unknown): RawInput {
  return changed(raw, loc, value) as RawInput
}

function changed(value: unknown, [step, ...rest]: Loc, to: unknown): unknown {
  if (step === undefined) return to
  if (Array.isArray(value)) return value.map((item, index) => (index === Number(step) ? changed(item, rest, to) : item))
  const old = isObject(value) ? value : {}
  const next = changed((old as Record<string, unknown>)[step], rest, to)
  const entries = Object.entries(old).filter(([name]) => name !== String(step) || next !== undefined)
  const result = new Map<string, unknown>(entries)
  if (next !== undefined) result.set(String(step), next)
  return Object.fromEntries(result)
}
