import type { Operation } from '../contract/contract.js'
import { parseJson } from '../contract/json.js'
import { isObject, type JsonObject } from '../contract/load.js'
import type { UploadedFile } from '../contract/message/body.js'
import { isLarge, type Literal, literalsIn } from '../contract/message/literals.js'
import type { InputError } from '../contract/pydantic/explain.js'
import type { RawInput } from '../contract/validation/validate.js'
import { assume, type Exchange, type FoundExchange } from './exchange.js'

/**
 * What the values of a request no longer say: integers that JavaScript rounds, whole numbers that are written with a
 * fraction, names that come twice, times without an offset, and a body that the operation does not read. `placesOf`
 * finds which of some numbers are integers of the contract.
 */
export function inexactness(
  exchange: FoundExchange,
  raw: RawInput,
  input: RawInput,
  placesOf: (numbers: Literal[]) => Literal[]
): InputError[] {
  const { operation, request } = exchange
  const { numbers, repeated } = operation.form ? literalsOfForm(operation, raw) : literalsOfBody(exchange)
  const large = [...largeParameters(raw, input), ...numbers.filter(({ text }) => isLarge(Number(text)))]
  const whole = numbers.filter(({ text }) => !isLarge(Number(text)))
  // In a document, a number that is no integer may be as large as it likes.
  const integers = operation.own ? large.filter(({ text }) => /^\s*[-+]?[\d_]+\s*$/.test(text)) : large
  const placed = whole.length > 0 && !operation.form ? placesOf(whole) : []
  const naive = timesWithoutOffset(raw, input)
  const isUnread = !operation.input.body && request.body.isExpected
  return [
    ...largeProblems(exchange, integers),
    ...(placed.length > 0 && assume(exchange, 'requests.whole-numbers') === 'refused' ? placed.map(notInteger) : []),
    ...(repeated.length > 0 && assume(exchange, 'requests.repeated-names') === 'refused' ? repeated.map(twice) : []),
    ...(naive.length > 0 && assume(exchange, 'requests.times-without-offset') === 'refused' ? naive.map(noOffset) : []),
    ...(isUnread && assume(exchange, 'requests.unread-bodies') === 'refused' ? [unread] : [])
  ]
}

/** The problems of numbers that would be rounded, or violations where they are. */
export function largeProblems(exchange: Exchange, large: Literal[]): InputError[] {
  if (large.length === 0) return []
  if (assume(exchange, 'requests.integers') === 'refused') return large.map(tooLarge)
  exchange.violations.push(...large.map(({ loc, text }) => `${loc.join('.')} was rounded: ${shortened(text)}`))
  return []
}

export function literalsOfBody({ body }: Exchange): ReturnType<typeof literalsIn> {
  if (!body || !('value' in body) || typeof body.value !== 'object') return { numbers: [], repeated: [] }
  return below(['body'], literalsIn(body.text ?? JSON.stringify(body.value), body.value))
}

/** The JSON in the fields of a form that have some, and in the metadata of zips. */
function literalsOfForm({ input: { body } }: Operation, raw: RawInput): ReturnType<typeof literalsIn> {
  const fields = (body?.properties ?? {}) as JsonObject
  const found = Object.entries((raw.body ?? {}) as Record<string, unknown>).flatMap(([name, value]) => {
    const field = fields[name]
    if (isObject(field) && field.contentMediaType === 'application/json') return literalsOfText(['body', name], value)
    if (!Array.isArray(value)) return []
    return (value as Partial<UploadedFile>[]).flatMap((file, at) =>
      literalsOfText(['body', name, at], file.metadata?.text)
    )
  })
  return { numbers: found.flatMap((it) => it.numbers), repeated: found.flatMap((it) => it.repeated) }
}

function literalsOfText(loc: Literal['loc'], text: unknown): ReturnType<typeof literalsIn>[] {
  const result = typeof text === 'string' ? parseJson(text) : {}
  return 'value' in result ? [below(loc, literalsIn(text as string, result.value))] : []
}

function below(start: Literal['loc'], { numbers, repeated }: ReturnType<typeof literalsIn>) {
  const at = ({ loc, text }: Literal): Literal => ({ loc: [...start, ...loc], text })
  return { numbers: numbers.map(at), repeated: repeated.map(at) }
}

function largeParameters(raw: RawInput, input: RawInput): Literal[] {
  const found: Literal[] = []
  for (const part of ['path', 'query', 'header', 'cookie'] as const) {
    for (const name in input[part]) {
      const sent = [raw[part]?.[name]].flat()
      for (const [at, value] of [(input[part] as JsonObject)[name]].flat().entries()) {
        if (typeof value === 'number' && isLarge(value)) found.push({ loc: [part, name], text: String(sent[at]) })
      }
    }
  }
  return found
}

/** Times that the contract has turned into UTC, and that said nothing of an offset. */
function timesWithoutOffset(raw: unknown, input: unknown, loc: Literal['loc'] = []): Literal[] {
  if (raw === input || typeof raw !== typeof input) return []
  if (typeof raw === 'string') {
    const isTime = /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/.test(input as string) && !/(z|[-+\u2212]\d\d:?\d\d)$/i.test(raw)
    return isTime && raw.includes('-') ? [{ loc, text: raw }] : []
  }
  if (typeof input !== 'object' || ArrayBuffer.isView(input)) return []
  return Object.entries(input as object).flatMap(([name, value]) =>
    timesWithoutOffset((raw as JsonObject)[name], value, [...loc, Array.isArray(input) ? Number(name) : name])
  )
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}

function tooLarge({ loc, text }: Literal): InputError {
  const [bound, than, limit] = text.trim().startsWith('-')
    ? ['ge', 'greater', Number.MIN_SAFE_INTEGER]
    : ['le', 'less', Number.MAX_SAFE_INTEGER]
  const msg = `Input should be ${than} than or equal to ${limit}`
  return { type: `${than}_than_equal`, loc, msg, input: shortened(text), ctx: { [bound as string]: limit as number } }
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

const unread: InputError = {
  type: 'extra_forbidden',
  loc: ['body'],
  msg: 'Extra inputs are not permitted',
  input: null
}
