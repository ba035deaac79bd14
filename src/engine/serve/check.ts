import { isTooDeep, type Literal, literalsIn, parseJson } from '../contract/json.js'
import { isObject, type Json, type JsonObject } from '../contract/load.js'
import type { UploadedFile } from '../contract/message/body.js'
import { shortened } from '../contract/message/refusal.js'
import type { InputError, Operation, RawInput, ReadStyle } from '../contract/model.js'
import { Invalid } from '../contract/pydantic/explain.js'
import { isLarge, readUuid } from '../contract/pydantic/scalars.js'
import { coercionUnder, type InputCheck, unknownUnder } from '../contract/validation/validate.js'
import { assume, type Exchange, type FoundExchange, type Setting } from './exchange.js'
import { cookiesOf } from './message/cookies.js'
import { queryOf } from './read.js'

/** Reads the input by the contract. An Invalid with all problems is returned: throwing it took a fifth of the time. */
export function readInput(exchange: Setting<'isInputChecked', FoundExchange>, body: unknown): unknown {
  const { operation } = exchange
  const raw = rawInput(exchange, body)
  const { input, problems, unknown } = checkInput(exchange, raw, exchange.assumed)
  exchange.isInputChecked = true
  if (unknown.length > 0) noteUnknown(exchange, unknown, problems)
  const inexact = inexactness(exchange, raw, input, (numbers) => integersAmong(exchange, numbers))
  problems.push(...inexact.filter(({ loc }) => !problems.some((it) => it.loc.join() === loc.join())))
  if (problems.length > 0) return invalid(exchange, problems)
  return operation.defaults ? { ...input, query: { ...operation.defaults, ...input.query } } : input
}

export function rawInput(exchange: FoundExchange, body: unknown): RawInput {
  const { params, operation, request } = exchange
  const sent = {
    path: params,
    query: exchange.search === '' ? {} : withoutKeys(exchange, queryOf(exchange)),
    headers: request.headers as Record<string, string>,
    cookies: () => cookiesOf(request.headers.cookie)
  }
  return rawInputOf(operation, sent, body)
}

/** A query without the tokens in it, which the parameters of an API's document do not name. */
function withoutKeys<Query extends object>({ contract, operation }: FoundExchange, query: Query): Query {
  const { query: keys = [] } = contract.api.document?.keys ?? {}
  if (keys.length === 0) return query
  const properties = (operation.input.query?.properties ?? {}) as JsonObject
  const others = Object.entries(query).filter(([name]) => Object.hasOwn(properties, name) || !keys.includes(name))
  return Object.fromEntries(others) as Query
}

/** The parts of a request as they were sent, without its body. */
export interface SentParts extends Pick<RawInput, 'path' | 'query'> {
  /** By name in lower case. */
  headers: Readonly<Record<string, string>>
  cookies: () => Record<string, string>
}

export function rawInputOf(
  operation: Operation,
  { path, query, headers, cookies }: SentParts,
  body: unknown
): RawInput {
  const { input, styles } = operation
  if (!styles) return { path, query, body: embedded(operation, body) }
  return {
    path: styled(path, styles.path),
    query: styled(styles.isJson ? inJson(query) : query, styles.query, styles.deep),
    ...(input.header && { header: styled(valuesIn(input.header, headers), styles.header) }),
    ...(input.cookie && { cookie: styled(valuesIn(input.cookie, cookies()), styles.cookie) }),
    body: embedded(operation, body)
  }
}

/** The fields of a query that is JSON as a whole, such as `?{"size":3}`. */
function inJson(query: SentParts['query']): SentParts['query'] {
  const parts = Object.entries(query).map(([name, value]) => (value === '' ? name : `${name}=${value}`))
  const text = parts.join('&')
  const { value } = { value: undefined, ...(isTooDeep(text) ? {} : parseJson(text)) }
  return isObject(value as Json) ? (value as SentParts['query']) : query
}

const noNames: ReadonlySet<string> = new Set()

/** The parameters of a place, with those that are written in another style. `deep`: objects such as `filter[name]`. */
function styled<Values extends RawInput['query']>(
  values: Values,
  styles: ReadonlyMap<string, ReadStyle>,
  deep = noNames
): Values {
  if (styles.size === 0 && deep.size === 0) return values
  const result = new Map<string, unknown>()
  for (const [name, value] of Object.entries(values)) {
    const read = styles.get(name)
    const [, object = '', field = ''] = read ? [] : (/^([^[]+)\[([^\]]+)\]$/.exec(name) ?? [])
    if (read) result.set(name, read(value))
    else if (deep.has(object)) {
      const before = result.get(object)
      result.set(object, Object.fromEntries([...Object.entries(isObject(before) ? before : {}), [field, value]]))
    } else result.set(name, value)
  }
  return Object.fromEntries(result) as Values
}

function valuesIn({ properties }: JsonObject, values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(properties as JsonObject, name)))
}

/** A body with one embedded parameter lacks that parameter if it is not an object, or is null. */
function embedded(operation: Operation, body: unknown): unknown {
  if (!operation.input.body?.['x-embedded']) return body ?? undefined
  if (!isObject(body as never)) return {}
  return Object.fromEntries(Object.entries(body as object).filter(([, value]) => value !== null))
}

/** Which numbers of a body are integers in the contract: there, a number with a half would break it. */
function integersAmong(exchange: FoundExchange, numbers: Literal[]): Literal[] {
  const body = JSON.parse(exchange.body?.text as string)
  for (const { loc } of numbers) {
    const parent = loc.slice(1, -1).reduce((value, step) => value?.[step], body)
    if (typeof parent?.[loc.at(-1) as string] === 'number') parent[loc.at(-1) as string] = 0.5
  }
  const { problems } = exchange.contract.checkInput(exchange.operation, rawInput(exchange, body), 'strict', new Set())
  const places = new Set(problems.flatMap(({ type, loc }) => (type === 'int_type' ? loc.join() : [])))
  return numbers.filter(({ loc }) => places.has(loc.join()))
}

/** Checks the input of a request against its contract, under the choices in force. */
export function checkInput(exchange: FoundExchange, raw: RawInput, assumed: Set<string>): InputCheck {
  const { contract, operation, choices } = exchange
  return contract.checkInput(operation, raw, coercionUnder(choices), assumed)
}

/** The problems of a request as an error, with the assumptions that they depend on. */
export function invalid(exchange: Exchange, problems: InputError[]): Invalid {
  if (problems.some((problem) => problem.loc[0] === 'body' && restsOnCoercion(problem))) {
    exchange.assumed.add('requests.coercion')
  }
  if (problems.some((problem) => problem.type === 'missing' && problem.loc[0] === 'body')) {
    exchange.assumed.add('requests.required')
  }
  if (problems.some((problem) => problem.type === 'string_too_long')) exchange.assumed.add('limits.text')
  return new Invalid(problems)
}

function noteUnknown(exchange: Exchange, unknown: InputError[], problems: InputError[]): void {
  const result = unknownUnder(exchange.choices, unknown)
  exchange.assumed.add('requests.unknown-fields')
  problems.push(...result.problems)
  exchange.violations.push(...result.violations)
}

/** Whether reading JSON values as in pydantic's lax mode could have helped. */
function restsOnCoercion({ type, input }: InputError): boolean {
  return (
    /^(int|float|bool|datetime)_(type|parsing|from_float)$/.test(type) &&
    ['string', 'number', 'boolean'].includes(typeof input)
  )
}

/**
 * Details that the parsed values have lost: integers that JavaScript rounds, whole numbers written with a fraction, repeated
 * names, the spelling of UUIDs, times without an offset, and a body that the operation does not read. `placesOf` finds which of the given numbers are
 * integers in the contract.
 */
function inexactness(
  exchange: FoundExchange,
  raw: RawInput,
  input: RawInput,
  placesOf: (numbers: Literal[]) => Literal[]
): InputError[] {
  const { operation, request } = exchange
  const { numbers, repeated } = operation.form ? literalsOfForm(operation, raw) : literalsOfBody(exchange)
  const { large: parameters, rewritten } = changedByReading(raw, input)
  const isUnread = !operation.input.body && request.body.isExpected
  if (!isUnread && [numbers, repeated, parameters, rewritten].every(({ length }) => length === 0)) return []
  const large = [...parameters, ...numbers.filter(({ text }) => isLarge(Number(text)))]
  const whole = numbers.filter(({ text }) => !isLarge(Number(text)))
  // In a document, a number that is not an integer may have any size.
  const integers = operation.origin ? large.filter(({ text }) => /^\s*[-+]?[\d_]+\s*$/.test(text)) : large
  const placed = whole.length > 0 && !operation.form ? placesOf(whole) : []
  const spelled = rewritten.filter(({ text }) => typeof readUuid(text) === 'string')
  const times = rewritten.filter((it) => !spelled.includes(it))
  const naive = times.filter(({ text }) => text.includes('-') && !/(z|[-+\u2212]\d\d:?\d\d)$/i.test(text))
  return [
    ...largeProblems(exchange, integers),
    ...(placed.length > 0 && assume(exchange, 'requests.whole-numbers') === 'refused' ? placed.map(notInteger) : []),
    ...(repeated.length > 0 && assume(exchange, 'requests.repeated-names') === 'refused' ? repeated.map(twice) : []),
    ...(naive.length > 0 && assume(exchange, 'requests.times-without-offset') === 'refused' ? naive.map(noOffset) : []),
    ...(spelled.length > 0 && assume(exchange, 'requests.uuid-spelling') === 'canonical' ? spelled.map(respelled) : []),
    ...(isUnread && assume(exchange, 'requests.unread-bodies') === 'refused' ? [unread] : [])
  ]
}

/** The problems of numbers that would be rounded, or violations where they are. */
export function largeProblems(exchange: Exchange, large: Literal[]): InputError[] {
  if (large.length === 0) return []
  if (assume(exchange, 'requests.integers') === 'refused') return large.map(tooLarge)
  exchange.violations.push(...large.map(({ loc, text }) => `${loc.join('.')} was rounded: ${shortened(text, 40)}`))
  return []
}

export function literalsOfBody({ body }: Exchange): ReturnType<typeof literalsIn> {
  if (!body || !('value' in body) || typeof body.value !== 'object') return { numbers: [], repeated: [] }
  return below(['body'], literalsIn(body.text ?? JSON.stringify(body.value), body.value))
}

/** The JSON in the fields of a form that have some, and in the metadata of zips. */
function literalsOfForm({ input: { body } }: Operation, raw: RawInput): ReturnType<typeof literalsIn> {
  const fields = (body?.properties ?? {}) as JsonObject
  const literals = Object.entries((raw.body ?? {}) as Record<string, unknown>).flatMap(([name, value]) => {
    const field = fields[name]
    if (isObject(field) && field.contentMediaType === 'application/json') return literalsOfText(['body', name], value)
    if (!Array.isArray(value)) return []
    return (value as Partial<UploadedFile>[]).flatMap((file, at) =>
      literalsOfText(['body', name, at], file.metadata?.text)
    )
  })
  return { numbers: literals.flatMap((it) => it.numbers), repeated: literals.flatMap((it) => it.repeated) }
}

function literalsOfText(loc: Literal['loc'], text: unknown): ReturnType<typeof literalsIn>[] {
  const result = typeof text === 'string' ? parseJson(text) : {}
  return 'value' in result ? [below(loc, literalsIn(text as string, result.value))] : []
}

function below(start: Literal['loc'], { numbers, repeated }: ReturnType<typeof literalsIn>) {
  const at = ({ loc, text }: Literal): Literal => ({ loc: [...start, ...loc], text })
  return { numbers: numbers.map(at), repeated: repeated.map(at) }
}

/** What reading has changed: large numbers in parameters, and texts that the contract rewrites, which are UUIDs and times. */
function changedByReading(raw: RawInput, input: RawInput): { large: Literal[]; rewritten: Literal[] } {
  const large: Literal[] = []
  const rewritten: Literal[] = []
  const loc: Literal['loc'] = []
  const visit = (sent: unknown, read: unknown) => {
    const isInBody = loc[0] === 'body'
    if (typeof read === 'number') {
      if (!isInBody && isLarge(read)) large.push({ loc: loc.slice(0, 2), text: String(sent) })
    } else if (typeof read === 'string') {
      if (typeof sent === 'string' && sent !== read) rewritten.push({ loc: [...loc], text: sent })
    } else if (typeof read === 'object' && read !== null) {
      if (sent === read && isInBody) return
      for (const name in read as JsonObject) {
        loc.push(Array.isArray(read) ? Number(name) : name)
        visit(typeof sent === 'object' ? (sent as JsonObject | null)?.[name] : sent, (read as JsonObject)[name])
        loc.pop()
      }
    }
  }
  visit(raw, input)
  return { large, rewritten }
}

function tooLarge({ loc, text }: Literal): InputError {
  const [bound, than, limit] = text.trim().startsWith('-')
    ? ['ge', 'greater', Number.MIN_SAFE_INTEGER]
    : ['le', 'less', Number.MAX_SAFE_INTEGER]
  const msg = `Input should be ${than} than or equal to ${limit}`
  return {
    type: `${than}_than_equal`,
    loc,
    msg,
    input: shortened(text, 40),
    ctx: { [bound as string]: limit as number }
  }
}

function notInteger({ loc, text }: Literal): InputError {
  return { type: 'int_type', loc, msg: 'Input should be a valid integer', input: Number(text) }
}

function twice({ loc }: Literal): InputError {
  return { type: 'json_invalid', loc, msg: 'JSON decode error', input: {}, ctx: { error: 'Duplicate name' } }
}

function noOffset({ loc, text }: Literal): InputError {
  return { type: 'timezone_aware', loc, msg: 'Input should have timezone info', input: text }
}

function respelled({ loc, text }: Literal): InputError {
  const error = 'expected lower case with hyphens'
  return { type: 'uuid_parsing', loc, msg: `Input should be a valid UUID, ${error}`, input: text, ctx: { error } }
}

const unread: InputError = {
  type: 'extra_forbidden',
  loc: ['body'],
  msg: 'Extra inputs are not permitted',
  input: null
}
