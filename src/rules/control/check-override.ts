import type { Contract, Operation } from '../../contract/contract.js'
import { type JsonObject, schemaOf } from '../../contract/load.js'
import { bodilessStatuses } from '../../contract/media.js'
import { outcomesOf } from '../../contract/outcomes.js'
import { type InputError, Invalid } from '../../contract/pydantic/explain.js'
import type { Delay, NewOverride } from '../../contract/types.gen.js'
import { delayFields } from '../../mock/overrides/delay.js'
import { wrong } from './problems.js'

/** Refuses an override that could never answer, and names what it may say. */
export function checkOverride(contract: Contract, override: NewOverride): void {
  const operation = contract.operations.get(override.operation)
  if (!operation) {
    const known = [...contract.operations.keys()]
    throw new Invalid([wrong(['body', 'operation'], `There is no operation "${override.operation}".`, known)])
  }
  const problems = [
    ...matchProblems(contract, operation, override.match ?? {}),
    ...answerProblems(contract, operation, override),
    ...(override.delay ? delayProblems(override.delay) : [])
  ]
  if (problems.length > 0) throw new Invalid(problems)
}

/** Parameters that the operation does not have, values that a text never is, a body where none is read. */
function matchProblems(
  contract: Contract,
  operation: Operation,
  match: NonNullable<NewOverride['match']>
): InputError[] {
  const problems = (['path', 'query'] as const).flatMap((place) => {
    const schema = schemaOf(contract.documents, operation.input[place])
    const names = Object.keys((schema.properties ?? {}) as JsonObject)
    return Object.entries(match[place] ?? {}).flatMap(([name, value]) => {
      const loc = ['body', 'match', place, name]
      if (!names.includes(name)) return wrong(loc, `${operation.id} has no such parameter in its ${place}.`, names)
      return typeof value === 'object' ? wrong(loc, 'A parameter is a text, a number or a boolean.') : []
    })
  })
  if (match.body !== undefined && !operation.input.body) {
    problems.push(wrong(['body', 'match', 'body'], `${operation.id} reads no body.`))
  }
  return problems
}

/** Answers that contradict themselves, or that the operation does not have. */
function answerProblems(contract: Contract, operation: Operation, override: NewOverride): InputError[] {
  const { status, body, example, delay, fault } = override
  if ([status, body, example, delay, fault].every((it) => it === undefined)) {
    const fields = ['status', 'body', 'example', 'delay', 'fault']
    return [wrong(['body'], `Say what is to happen: ${fields.join(', ')}.`, fields)]
  }
  const problems = (['status', 'body', 'example'] as const)
    .filter((field) => fault !== undefined && override[field] !== undefined)
    .map((field) => wrong(['body', field], 'A fault takes the place of the answer: leave one of them out.'))
  if (body !== undefined && example !== undefined) {
    problems.push(wrong(['body', 'example'], 'An example has a body of its own: leave one of them out.'))
  }
  if (body !== undefined && bodilessStatuses.includes(status ?? 200)) {
    problems.push(wrong(['body', 'body'], `An answer with status ${status} has no body.`))
  }
  if (example !== undefined) {
    const outcomes = outcomesOf(contract, operation).filter((it) => status === undefined || it.status === status)
    const names = [...new Set(outcomes.map(({ name }) => name))]
    const where = status === undefined ? operation.id : `${operation.id} with status ${status}`
    if (!names.some((name) => name === example)) {
      problems.push(wrong(['body', 'example'], `${where} has no example "${example}".`, names))
    }
  }
  return problems
}

/** Fields that the type lacks or does not have, and limits in the wrong order. */
function delayProblems(delay: Delay): InputError[] {
  const { type, lower = 0, upper = lower } = delay
  const needed: readonly string[] = delayFields[type].needed
  const good = [...needed, ...delayFields[type].optional]
  const given = Object.keys(delay).filter((field) => field !== 'type')
  const problems = [
    ...needed.filter((field) => !given.includes(field)).map((field) => [field, `A ${type} delay needs ${field}.`]),
    ...given.filter((field) => !good.includes(field)).map((field) => [field, `A ${type} delay has no ${field}.`])
  ].map(([field, sentence]) => wrong(['body', 'delay', field as string], sentence as string, good))
  if (type === 'uniform' && lower > upper) {
    problems.push(wrong(['body', 'delay', 'lower'], `lower is ${lower}: it must not be above upper, ${upper}.`))
  }
  return problems
}
