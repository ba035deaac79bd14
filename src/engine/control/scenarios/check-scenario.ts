import type { Contract } from '../../contract/contract.js'
import { isObject } from '../../contract/load.js'
import type { InputError, Operation } from '../../contract/model.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import { parametersOf } from '../../contract/text.js'
import type { Call, Scenario, ScenarioStep } from '../../contract/types.gen.js'
import { wrong } from '../rule.js'
import { canBeSent, whyElsewhere } from './request.js'
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

export function actionOf(step: ScenarioStep) {
  return actions.find((it) => step[it] !== undefined) as (typeof actions)[number]
}

/** The calls of the control API whose body is all that a step has. */
export const callsByBody = {
  clock: 'setClock',
  override: 'addOverride',
  weather: 'setWeather',
  assume: 'changeAssumptions'
} as const

/** Rejects a scenario that could not be played, and names the valid values. Its format has been checked. */
export function checkScenario(contract: Contract, { steps }: Scenario): void {
  const names: string[] = []
  const problems = steps.flatMap((step, index) => {
    const errors = stepProblems(contract, step, names)
    if (step.as !== undefined) names.push(step.as)
    return errors.map((it) => ({ ...it, loc: ['body', 'steps', index, ...it.loc] }))
  })
  if (problems.length > 0) throw new Invalid(problems)
}

function stepProblems(contract: Contract, step: ScenarioStep, names: readonly string[]): InputError[] {
  const keys = actions.filter((it) => step[it] !== undefined)
  const [first] = keys
  if (!first || keys.length > 1) {
    const what = first ? `This step has ${keys.join(' and ')}: use one step for each.` : 'Give the step one action.'
    return [wrong([], what, actions)]
  }
  // A scenario without names has no references, so its braces are plain text.
  const unknown = names.length === 0 && step.as === undefined ? [] : namesIn(step).filter((it) => !names.includes(it))
  const problems = unknown.map((name) => wrong([first], `No earlier step has "as": "${name}".`, names))
  const { create, call, control } = step
  const { collections } = contract
  if (create && !collections.has(create.collection)) {
    const text = `There is no collection "${create.collection}".`
    problems.push(wrong(['create', 'collection'], text, [...collections.keys()]))
  }
  if (call) problems.push(...callProblems(contract, call).map((it) => ({ ...it, loc: ['call', ...it.loc] })))
  const why = call?.url === undefined ? undefined : whyElsewhere(call.url)
  if (why !== undefined) problems.push(wrong(['call', 'url'], why))
  return control ? [...problems, ...controlProblems(contract, control)] : problems
}

/** The problems of a call, except those of its format. */
export function callProblems(contract: Contract, call: Call): InputError[] {
  const { operation: id, method, url, path, user, base64 } = call
  const operation = id === undefined ? undefined : contract.operations.get(id)
  const sent = operation?.method ?? method ?? 'GET'
  const problems: InputError[] = []
  const refuse = (isWrong: unknown, field: string, text: string, allowed?: readonly string[]) => {
    if (isWrong) problems.push(wrong([field], text, allowed))
  }
  const [body, ...others] = (['body', 'text', 'base64'] as const).filter((it) => call[it] !== undefined)
  for (const it of others) refuse(true, it, `${body} is the body: leave one of them out.`)
  const bad = Object.entries(call.headers ?? {}).find(([name, text]) => !isHeader(name, text))
  refuse(bad, 'headers', `No header can have the name "${bad?.[0]}" and this value.`)
  refuse(user && !isHeader('Authorization', `Bearer ${user}`), 'user', 'No token can have these characters.')
  refuse(base64 !== undefined && !isBase64(base64), 'base64', 'These characters are not base64.')
  refuse(!canBeSent(sent), 'method', `No client can send ${sent}.`)
  const hasNone = sent === 'GET' || sent === 'HEAD'
  if (body && others.length === 0) refuse(hasNone, body, `${id ?? sent} takes no body.`)
  if (id === undefined) {
    refuse(url === undefined, 'operation', 'Give an operation, or method and url.')
    for (const it of ['path', 'query'] as const) refuse(call[it], it, 'Without an operation, put this into the url.')
  } else if (!operation) {
    refuse(true, 'operation', `There is no operation "${id}".`, [...contract.operations.keys()])
  } else {
    // The text may refer to the result of a step.
    const isNoForm = operation.form && call.body !== undefined && typeof call.body !== 'string' && !isObject(call.body)
    refuse(isNoForm, 'body', 'Give the fields of the form as an object.')
    for (const it of ['method', 'url'] as const)
      refuse(call[it], it, 'The operation includes this: leave one of them out.')
    for (const text of pathProblems(operation, path)) refuse(true, 'path', `${id} ${text}`)
  }
  return problems
}

function controlProblems(contract: Contract, control: NonNullable<ScenarioStep['control']>): InputError[] {
  const operation = contract.control.get(control.operation)
  const isRuled = (it: Operation) => !(it.waits || it.stream || it.redirect || it.agents)
  if (!operation || !isRuled(operation)) {
    const ids = [...contract.control.values()].filter(isRuled).map(({ id }) => id)
    const text = `The control API has no operation "${control.operation}" for steps.`
    return [wrong(['control', 'operation'], text, ids)]
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
