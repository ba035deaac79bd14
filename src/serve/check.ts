import type { Operation } from '../contract/contract.js'
import type { Json } from '../contract/load.js'
import type { Literal } from '../contract/message/literals.js'
import { rawInputOf } from '../contract/message/raw-input.js'
import { type InputError, Invalid } from '../contract/pydantic/explain.js'
import { coercionUnder, type InputCheck, type RawInput, unknownUnder } from '../contract/validation/validate.js'
import { inexactness } from './exact.js'
import type { Exchange, FoundExchange, Setting } from './exchange.js'
import { cookiesOf } from './message/cookies.js'
import { queryOf } from './read.js'

/**
 * Reads path, query and body by the contract. One answer lists all problems. An Invalid is returned, because throwing
 * it took a fifth of the request's time.
 */
export function readInput(exchange: Setting<'isInputChecked', FoundExchange>, body: unknown): unknown {
  const { operation } = exchange
  const raw = rawInput(exchange, body)
  const { input, problems, unknown } = checkInput(exchange, raw, exchange.assumed)
  exchange.isInputChecked = true
  if (unknown.length > 0) noteUnknown(exchange, unknown, problems)
  const inexact = inexactness(exchange, raw, input, (numbers) => integersAmong(exchange, numbers))
  problems.push(...inexact.filter(({ loc }) => !problems.some((it) => it.loc.join() === loc.join())))
  if (problems.length > 0) return invalid(exchange, problems)
  return operation.own ? withDefaults(operation, input) : input
}

/** The raw input of a request. */
export function rawInput(exchange: FoundExchange, body: unknown): RawInput {
  const { params, operation, request } = exchange
  const sent = {
    path: params,
    query: queryOf(exchange),
    headers: request.headers as Record<string, string>,
    cookies: () => cookiesOf(request.headers.cookie)
  }
  return rawInputOf(operation, sent, body)
}

/** Which of the numbers of a body are integers of the contract: half a number breaks it there. */
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

/** Adds the document's default values of missing parameters. */
function withDefaults({ input }: Operation, given: RawInput): RawInput {
  const declared = Object.entries((input.query?.properties ?? {}) as Record<string, { default?: Json }>)
  const defaults = declared.flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]]))
  const sent = Object.entries(given.query).filter(([, value]) => value !== null)
  return { ...given, query: Object.fromEntries([...defaults, ...sent]) as RawInput['query'] }
}

/** Checks the input of a request against its contract, under the choices in force. */
export function checkInput(exchange: FoundExchange, raw: RawInput, assumed: Set<string>): InputCheck {
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

function noteUnknown(exchange: Exchange, unknown: InputError[], problems: InputError[]): void {
  const found = unknownUnder(exchange.choices, unknown)
  exchange.assumed.add('requests.unknown-fields')
  problems.push(...found.problems)
  exchange.violations.push(...found.violations)
}

/** Whether reading JSON values as pydantic's lax mode does could have helped. */
function restsOnCoercion({ type, input }: InputError): boolean {
  return (
    /^(int|float|bool|datetime)_(type|parsing|from_float)$/.test(type) &&
    ['string', 'number', 'boolean'].includes(typeof input)
  )
}
