import type { Contract } from '../../contract/contract.js'
import { isObject } from '../../contract/load.js'
import type { InputError, Operation } from '../../contract/model.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import type { Call, Scenario, ScenarioStep } from '../../contract/types.gen.js'
import { wrong } from '../rule.js'
import { canBeSent, parametersOf, whyElsewhere } from './request.js'
import { namesIn } from './results.js'

/** What a step may do. Each step does exactly one of them. */
export const actions = [
  'create',
  'call',
  'control',
  'clock',
  'override',
  'weather',
  'assume',
  'lifecycle',
  'snapshot'
] as const

export type Action = (typeof actions)[number]

export function actionOf(step: ScenarioStep): Action {
  return actions.find((it) => step[it] !== undefined) as Action
}

/** Rejects a scenario that could not be played, and names the valid values. Its format has been checked. */
export function checkScenario(contract: Contract, { steps }: Scenario): void {
  const names: string[] = []
  const problems = steps.flatMap((step, index) => {
    const found = stepProblems(contract, step, names)
    if (step.as !== undefined) names.push(step.as)
    return found.map((it) => ({ ...it, loc: ['body', 'steps', index, ...it.loc] }))
  })
  if (problems.length > 0) throw new Invalid(problems)
}

function stepProblems(contract: Contract, step: ScenarioStep, names: readonly string[]): InputError[] {
  const given = actions.filter((it) => step[it] !== undefined)
  const [first] = given
  if (!first || given.length > 1) {
    const what = first ? `This step has ${given.join(' and ')}: use one step for each.` : 'Give the step one action.'
    return [wrong([], what, actions)]
  }
  // A scenario without names has no references, so its braces are plain text.
  const unknown = names.length === 0 && step.as === undefined ? [] : namesIn(step).filter((it) => !names.includes(it))
  const { create, call, control } = step
  return [
    ...unknown.map((name) => wrong([first], `No earlier step has "as": "${name}".`, names)),
    ...(create && !contract.collections.has(create.collection)
      ? [
          wrong(['create', 'collection'], `There is no collection "${create.collection}".`, [
            ...contract.collections.keys()
          ])
        ]
      : []),
    ...(call ? callProblems(contract, call).map((it) => ({ ...it, loc: ['call', ...it.loc] })) : []),
    ...[call?.url !== undefined && whyElsewhere(call.url)]
      .filter((it) => it)
      .map((why) => wrong(['call', 'url'], `${why}`)),
    ...(control ? controlProblems(contract, control) : [])
  ]
}

/** The problems of a call, except those of its format. */
export function callProblems(contract: Contract, call: Call): InputError[] {
  const { operation: id, method, url, path, query, user, base64 } = call
  const at = (field: string, text: string, allowed?: readonly string[]) => wrong([field], text, allowed)
  const bodies = (['body', 'text', 'base64'] as const).filter((it) => call[it] !== undefined)
  const problems = bodies.slice(1).map((it) => at(it, `${bodies[0]} is the body: leave one of them out.`))
  const bad = Object.entries(call.headers ?? {}).find(([name, text]) => !isHeader(name, text))
  if (bad) problems.push(at('headers', `No header can have the name "${bad[0]}" and this value.`))
  if (user && !isHeader('Authorization', `Bearer ${user}`))
    problems.push(at('user', 'No token can have these characters.'))
  if (base64 !== undefined && !isBase64(base64)) problems.push(at('base64', 'These characters are not base64.'))
  const operation = id === undefined ? undefined : contract.operations.get(id)
  const sent = operation?.method ?? method ?? 'GET'
  if (!canBeSent(sent)) problems.push(at('method', `No client can send ${sent}.`))
  const [body] = bodies
  const hasNone = sent === 'GET' || sent === 'HEAD'
  if (bodies.length === 1 && body && hasNone) problems.push(at(body, `${id ?? sent} takes no body.`))
  if (id === undefined) {
    if (url === undefined) problems.push(at('operation', 'Give an operation, or method and url.'))
    const useless = [path && 'path', query && 'query'].filter((it): it is string => it !== undefined)
    return [...problems, ...useless.map((it) => at(it, 'Without an operation, put this into the url.'))]
  }
  if (!operation)
    return [...problems, at('operation', `There is no operation "${id}".`, [...contract.operations.keys()])]
  const useless = [method && 'method', url && 'url'].filter((it): it is string => it !== undefined)
  // The text may refer to the result of a step.
  if (operation.form && call.body !== undefined && typeof call.body !== 'string' && !isObject(call.body)) {
    problems.push(at('body', 'Give the fields of the form as an object.'))
  }
  return [
    ...problems,
    ...useless.map((it) => at(it, 'The operation includes this: leave one of them out.')),
    ...pathProblems(operation, path).map((text) => at('path', `${id} ${text}`))
  ]
}

function controlProblems(contract: Contract, control: NonNullable<ScenarioStep['control']>): InputError[] {
  const operation = contract.control.get(control.operation)
  const isRuled = (it: Operation) => !(it.waits || it.stream || it.redirect || it.agents)
  if (!operation || !isRuled(operation)) {
    const known = [...contract.control.values()].filter(isRuled)
    const text = `The control API has no operation "${control.operation}" for steps.`
    return [
      wrong(
        ['control', 'operation'],
        text,
        known.map(({ id }) => id)
      )
    ]
  }
  return pathProblems(operation, control.path).map((text) => wrong(['control', 'path'], `${control.operation} ${text}`))
}

function isHeader(name: string, text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
}

/** Of either alphabet, with or without padding. It may contain a reference to the result of a step. */
function isBase64(text: string): boolean {
  const open = text.indexOf('{')
  if (open >= 0 && text.includes('}', open)) return true
  const bare = text.trimEnd()
  const padding = bare.endsWith('==') ? 2 : bare.endsWith('=') ? 1 : 0
  return /^[\w+/\s-]*$/.test(bare.slice(0, bare.length - padding))
}

function pathProblems(operation: Operation, path: object = {}): string[] {
  const names = parametersOf(operation)
  return [
    ...names.filter((name) => !Object.hasOwn(path, name)).map((name) => `needs the parameter ${name}.`),
    ...Object.keys(path)
      .filter((name) => !names.includes(name))
      .map((name) => `has no parameter ${name} in its path.`)
  ]
}
