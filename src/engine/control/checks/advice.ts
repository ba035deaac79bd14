import type { Contract } from '../../contract/contract.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../../contract/load.js'
import type { InputError, Operation, RawInput } from '../../contract/model.js'
import type { JournalDetail } from '../../contract/types.gen.js'
import type { Recorded } from '../../journal/recorded.js'
import { targetOf } from '../scenarios/request.js'

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

/** The first value of a field with this name. */
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
