import type { Operation } from '../contract/contract.js'
import type { Json, JsonObject } from '../contract/load.js'
import { styled, styledPath } from '../contract/own/styles.js'
import type { Own } from '../contract/own/types.js'
import { type InputError, Invalid } from '../contract/pydantic/explain.js'
import { coercionUnder, type InputCheck, type RawInput } from '../contract/validation/validate.js'
import { assume, type Exchange, type Found, type Setting } from './exchange.js'
import { cookiesOf } from './message/cookies.js'
import { queryOf } from './read.js'

/**
 * Reads path, query and body by the contract. One answer lists all problems. An Invalid is returned, because throwing
 * it took a fifth of the request's time.
 */
export function readInput(exchange: Setting<'isInputChecked', Found>, body: unknown): unknown {
  const { operation } = exchange
  const raw = rawInput(exchange, body)
  const { input, problems, unknown } = checkInput(exchange, raw, exchange.assumed)
  exchange.isInputChecked = true
  if (unknown.length > 0) noteUnknown(exchange, unknown, problems)
  if (problems.length > 0) return invalid(exchange, problems)
  return operation.own ? withDefaults(operation, input) : input
}

/** The raw input of a request. */
export function rawInput(exchange: Found, body: unknown): RawInput {
  const { params, operation } = exchange
  const { own } = operation
  const query = own ? styled(own.styles, 'query', queryOf(exchange)) : queryOf(exchange)
  return {
    path: own ? styledPath(own.styles, params) : params,
    query,
    ...(own && partsOf(exchange, own)),
    body: embedded(operation, body)
  }
}

/** The headers and cookies that a user's own operation reads. */
function partsOf({ operation, request }: Found, { styles }: Own): Pick<RawInput, 'header' | 'cookie'> {
  const { header, cookie } = operation.input
  return {
    ...(header && { header: styled(styles, 'header', named(header, request.headers as Record<string, string>)) }),
    ...(cookie && { cookie: styled(styles, 'cookie', named(cookie, cookiesOf(request.headers.cookie))) })
  }
}

/** The values that a schema names. */
function named({ properties }: JsonObject, values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(properties as JsonObject, name)))
}

/** Adds the document's default values of missing parameters. */
function withDefaults({ input }: Operation, given: RawInput): RawInput {
  const declared = Object.entries((input.query?.properties ?? {}) as Record<string, { default?: Json }>)
  const defaults = declared.flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]]))
  const sent = Object.entries(given.query).filter(([, value]) => value !== null)
  return { ...given, query: Object.fromEntries([...defaults, ...sent]) as RawInput['query'] }
}

/** Checks the input of a request against its contract, under the choices in force. */
export function checkInput(exchange: Found, raw: RawInput, assumed: Set<string>): InputCheck {
  const { contract, operation, choices } = exchange
  return contract.checkInput(operation, raw, coercionUnder(choices), assumed)
}

/** The problems of a request as an error, with the assumptions that they rest on. */
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

/** A body that is one embedded parameter misses that parameter when it is no object, or when it is null. */
function embedded(operation: Operation, body: unknown): unknown {
  if (!operation.input.body?.['x-embedded']) return body ?? undefined
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {}
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}

function noteUnknown(exchange: Exchange, unknown: InputError[], problems: InputError[]): void {
  const policy = assume(exchange, 'requests.unknown-fields')
  if (policy === 'rejected') problems.push(...unknown)
  if (policy === 'reported') {
    for (const { loc } of unknown) exchange.violations.push(`${loc.join('.')} is not in the contract`)
  }
}

/** Whether reading JSON values as pydantic's lax mode does could have helped. */
function restsOnCoercion({ type, input }: InputError): boolean {
  return (
    /^(int|float|bool|datetime)_(type|parsing|from_float)$/.test(type) &&
    ['string', 'number', 'boolean'].includes(typeof input)
  )
}
