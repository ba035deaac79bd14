import { isJsonType, parseJson } from '../../contract/json.js'
import { isObject, type Json } from '../../contract/load.js'
import { forType } from '../../contract/match.js'
import { readQuery } from '../../contract/message/query.js'
import { typeIn } from '../../contract/message/reply.js'
import type { InputError, Operation } from '../../contract/model.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import { coercionUnder, unknownUnder } from '../../contract/validation/validate.js'
import { nearMisses } from '../../journal/near-misses.js'
import { rawInputOf } from '../../serve/check.js'
import { type ControlRules, invalid } from '../rule.js'
import { callProblems } from '../scenarios/check-scenario.js'
import { requestOfCall, type StepRequest } from '../scenarios/request.js'
import { adviceFor } from './advice.js'

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
