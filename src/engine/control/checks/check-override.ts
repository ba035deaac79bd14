import type { Contract } from '../../contract/contract.js'
import type { JsonObject } from '../../contract/load.js'
import { bodilessStatuses } from '../../contract/message/media.js'
import { Refusal } from '../../contract/message/refusal.js'
import { headerProblem, typeIn } from '../../contract/message/reply.js'
import type { InputError, Operation } from '../../contract/model.js'
import { outcomesOf } from '../../contract/outcomes.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import type { Delay, NewOverride, ReplaceOverridesInput } from '../../contract/types.gen.js'
import { delayFields } from '../../overrides/delay.js'
import { anyOperation } from '../../overrides/matches.js'
import { frameOf } from '../../serve/stream.js'
import { wrong } from '../rule.js'

/** The highest number of overrides in one sandbox. Every request is compared with each of them. */
export const mostOverrides = 1000

/** Rejects an override that could never answer, and names its valid values. */
export function checkOverride(contract: Contract, override: NewOverride): void {
  const problems = problemsOf(contract, override)
  if (problems.length > 0) throw new Invalid(problems)
}

export function checkOverrides(contract: Contract, input: ReplaceOverridesInput['body']): NewOverride[] {
  const isList = Array.isArray(input)
  const list = isList ? input : input.overrides
  if (list.length > mostOverrides) {
    throw new Refusal('too-many-overrides', { count: list.length, limit: mostOverrides })
  }
  const at = (index: number) => (isList ? ['body', index] : ['body', 'overrides', index])
  const problems = list.flatMap((override, index) =>
    problemsOf(contract, override).map(({ loc, ...problem }) => ({ ...problem, loc: [...at(index), ...loc.slice(1)] }))
  )
  if (problems.length > 0) throw new Invalid(problems)
  return list
}

type Match = NonNullable<NewOverride['match']>
type Field = keyof NewOverride

/** The fields of an answer that is sent value by value. */
const streamed = ['chunks', 'first', 'every', 'cutAfter'] as const
const answering = ['status', 'headers', 'body', 'example', ...streamed] as const

function problemsOf(contract: Contract, override: NewOverride): InputError[] {
  const { operation: id, path, match = {}, times, used = 0, delay } = override
  const operation = id === undefined ? undefined : contract.operations.get(id)
  const ids = [...contract.operations.keys(), anyOperation]
  if (id === undefined && path === undefined) return [wrong(['body', 'operation'], 'Give an operation or a path.')]
  if (id !== undefined && !ids.includes(id))
    return [wrong(['body', 'operation'], `There is no operation "${id}".`, ids)]
  return [
    ...(id === undefined ? pathProblems(contract, path as string, match) : operationProblems(operation, override)),
    ...(times !== undefined && used >= times
      ? [wrong(['body', 'used'], `It has given all its answers: used must be below times, ${times}.`)]
      : []),
    ...answerProblems(contract, operation, override),
    ...(delay ? delayProblems(delay) : []),
    ...sequenceProblems(contract, operation, override)
  ]
}

function surplus(override: NewOverride, fields: readonly Field[], sentence: string): InputError[] {
  return fields.filter((it) => override[it] !== undefined).map((field) => wrong(['body', field], sentence))
}

/** Paths that no request can have or that belong to the control API, and parameters that the path does not name. */
function pathProblems(contract: Contract, path: string, match: Match): InputError[] {
  const refuse = (sentence: string) => [wrong(['body', 'path'], sentence)]
  if (!/^\/[!-~]*$/.test(path) || /[?#]/.test(path)) {
    return refuse('Give a URL-encoded path that begins with a slash and has no query. For the query use match.query.')
  }
  const [control] = contract.control.values()
  const prefix = control?.path.split('/')[1]
  const [, ...segments] = path.split('/')
  if (segments[0] === prefix) return refuse(`Paths under /${prefix} belong to the mock.`)
  const braced = segments.filter((segment) => /[{}]/.test(segment))
  const names = braced.map((segment) => segment.slice(1, -1))
  if (!braced.every((segment) => /^\{[\w-]+\}$/.test(segment)) || new Set(names).size < names.length) {
    return refuse(
      'A parameter is a whole segment, such as {id}, with a unique name of letters, digits, hyphens and underscores.'
    )
  }
  return [...parameterProblems('path', match, names, 'The path'), ...parameterProblems('query', match)]
}

function operationProblems(operation: Operation | undefined, override: NewOverride): InputError[] {
  const { match = {} } = override
  const problems = surplus(override, ['method', 'path'], 'The operation includes this: leave one of them out.')
  if (operation) {
    for (const place of ['path', 'query'] as const) {
      const names = Object.keys((operation.input[place]?.properties ?? {}) as JsonObject)
      problems.push(...parameterProblems(place, match, names, `The ${place} of ${operation.id}`))
    }
    if (match.body !== undefined && !operation.input.body)
      problems.push(wrong(['body', 'match', 'body'], `${operation.id} reads no body.`))
  } else if (match.path)
    problems.push(wrong(['body', 'match', 'path'], 'Path parameters differ by operation: name the operation.'))
  return problems
}

/** Unknown parameters, and values that a text can never have. Without names all are known. */
function parameterProblems(place: 'path' | 'query', match: Match, names?: string[], owner = ''): InputError[] {
  return Object.entries(match[place] ?? {}).flatMap(([name, value]) => {
    const loc = ['body', 'match', place, name]
    if (names && !names.includes(name)) return [wrong(loc, `${owner} has no such parameter.`, names)]
    return typeof value === 'object' ? [wrong(loc, 'A parameter is a text, a number or a boolean.')] : []
  })
}

/** Turns that could not answer, and fields that the turns replace. */
function sequenceProblems(
  contract: Contract,
  operation: Operation | undefined,
  { sequence, ...override }: NewOverride
): InputError[] {
  if (!sequence) return []
  if (sequence.length === 0) return [wrong(['body', 'sequence'], 'Give at least one answer.')]
  const fields = [...answering, 'delay', 'fault'] as const
  return [
    ...surplus(override, fields, 'The turns of the sequence have this field: leave one of them out.'),
    ...sequence.flatMap((turn, index) => {
      const isUsual = Object.keys(turn).length === 0
      const problems = [
        ...(isUsual ? [] : answerProblems(contract, operation, turn)),
        ...(turn.delay ? delayProblems(turn.delay) : [])
      ]
      return problems.map(({ loc, ...it }) => ({ ...it, loc: ['body', 'sequence', index, ...loc.slice(1)] }))
    })
  ]
}

/** Answers that contradict themselves, or that the operation does not have. */
function answerProblems(contract: Contract, operation: Operation | undefined, override: NewOverride): InputError[] {
  const { status, headers, body, example, chunks, fault } = override
  const fields = [...answering, 'delay', 'fault', 'sequence'] as const
  if (fields.every((it) => override[it] === undefined)) {
    return [wrong(['body'], `Give at least one of ${fields.join(', ')}.`, fields)]
  }
  const problems = fault ? surplus(override, answering, 'A fault replaces the answer: leave one of them out.') : []
  const refuse = (isWrong: boolean, field: Field, sentence: string) => {
    if (isWrong) problems.push(wrong(['body', field], sentence))
  }
  for (const [name, value] of Object.entries(headers ?? {})) {
    const problem = headerProblem(name, value)
    if (problem !== undefined) problems.push(wrong(['body', 'headers', name], problem))
  }
  const type = chunks && typeIn(headers)
  for (const [at, value] of (type === undefined ? [] : (chunks ?? [])).entries()) {
    const problem = unsent(value, type as string)
    if (problem !== undefined) problems.push(wrong(['body', 'chunks', at], problem))
  }
  const isBodiless = bodilessStatuses.includes(status ?? 200)
  const has = (part: unknown) => part !== undefined
  refuse(has(body) && has(example), 'example', 'An example includes a body: leave one of them out.')
  refuse(has(chunks) && has(body), 'chunks', 'Chunks replace the body: leave one of them out.')
  refuse(has(chunks) && has(example), 'chunks', 'Chunks replace the example: leave one of them out.')
  refuse(has(chunks) && isBodiless, 'chunks', `An answer with status ${status} has no body.`)
  refuse(has(body) && isBodiless, 'body', `An answer with status ${status} has no body.`)
  refuse(has(example) && !operation, 'example', 'Only operations have examples: give operation instead of path.')
  if (example !== undefined && operation) {
    const outcomes = outcomesOf(contract, operation).filter((it) => status === undefined || it.status === status)
    const names = [...new Set(outcomes.map(({ name }) => name))]
    const where = status === undefined ? operation.id : `${operation.id} with status ${status}`
    if (!names.some((name) => name === example)) {
      problems.push(wrong(['body', 'example'], `${where} has no example "${example}".`, names))
    }
  }
  return problems
}

/** Why a value cannot be sent under a media type. Undefined: it can. */
function unsent(value: unknown, type: string): string | undefined {
  try {
    frameOf(value, type)
    return undefined
  } catch (error) {
    return `It cannot be sent: ${(error as Error).message}`
  }
}

/** Missing and unknown fields of the delay's type, and limits in the wrong order. */
function delayProblems(delay: Delay): InputError[] {
  const { type, lower = 0, upper = lower } = delay
  const needed: readonly string[] = delayFields[type].needed
  const good = [...needed, ...delayFields[type].optional]
  const fields = Object.keys(delay).filter((field) => field !== 'type')
  const problems = [
    ...needed.filter((field) => !fields.includes(field)).map((field) => [field, `A ${type} delay needs ${field}.`]),
    ...fields.filter((field) => !good.includes(field)).map((field) => [field, `A ${type} delay has no ${field}.`])
  ].map(([field, sentence]) => wrong(['body', 'delay', field as string], sentence as string, good))
  if (type === 'uniform' && lower > upper) {
    problems.push(
      wrong(['body', 'delay', 'lower'], `lower is ${lower} and must not be above upper, which is ${upper}.`)
    )
  }
  return problems
}
