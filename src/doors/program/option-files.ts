import { basename, extname, join } from 'node:path'
import type { Contract } from '../../engine/contract/contract.js'
import { packageRoot, shown, textOf } from '../../engine/contract/load.js'
import { readUserFile } from '../../engine/contract/message/user-file.js'
import type { Operation } from '../../engine/contract/model.js'
import { Invalid } from '../../engine/contract/pydantic/explain.js'
import type { Operations, Scenario } from '../../engine/contract/types.gen.js'
import { checkedInput } from '../../engine/control/call.js'
import { checkScenario } from '../../engine/control/scenarios/check-scenario.js'
import { foreseen, ProblemError } from '../../engine/serve/problem.js'
import type { CoreMock } from './open-mock.js'

/** Reads the JSON or YAML file that an option names. Throws an Error that names the file, or the option if there is none. */
export function readOptionFile(option: string, file: string): unknown {
  try {
    return readUserFile(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new Error(code === 'ENOENT' ? `${option} is ${file}: there is no such file.` : `${shown(file)}: ${message}`)
  }
}

/** Checks a value like the body of a call of the control API. Throws an Invalid that names each wrong field. */
export function checkedBody<Id extends keyof Operations>(
  contract: Contract,
  id: Id,
  body: unknown
): NonNullable<Operations[Id]['input']> extends { body: infer Body } ? Body : never {
  const operation = contract.control.get(id) as Operation
  const { body: checked } = checkedInput({
    operation,
    contract,
    raw: { path: {}, query: {}, body },
    assumed: new Set()
  })
  return checked as never
}

export function isScenarioFile(text: string): boolean {
  return /\.(json|ya?ml)$/i.test(text)
}

/** Reads a scenario from a JSON or YAML file. Throws an Error that names the file, the place in it and the valid values. */
function readScenario(file: string, contract: Contract): Scenario {
  const input = readOptionFile('scenario', file)
  try {
    const scenario = { name: basename(file, extname(file)), ...checkedBody(contract, 'playGiven', input) }
    checkScenario(contract, scenario)
    return scenario
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    const problem = foreseen({ operation: contract.control.get('playGiven'), contract }, error)
    throw new Error(`${shown(file)}: ${problem ? new ProblemError(problem.body).message : ''}`)
  }
}

/** The scenario of a file, or of a name. `label` begins the Error that lists the names. */
export function scenarioIn({ edition, scenarios }: CoreMock, text: string, label: string): Scenario {
  if (isScenarioFile(text)) return readScenario(text, edition.contractOf(edition.choices))
  const scenario = scenarios.get(text)
  if (scenario) return scenario
  throw new Error(`${label}: give a .json or .yaml file, or one of ${[...scenarios.keys()].join(', ')}.`)
}

/**
 * Scenarios by name: the package's and the user's own, which may replace them. Those of the package that call an operation
 * which the user has replaced are left out.
 */
export function scenariosIn(files: readonly string[], contract: Contract): ReadonlyMap<string, Scenario> {
  const folder = join(packageRoot(), 'fixtures/scenarios')
  const ids = contract.extensions.flatMap(({ replaced }) => replaced).filter((id) => !contract.operations.has(id))
  const isWhole = (file: string) => ids.length === 0 || !ids.some((id) => textOf(file).includes(`"${id}"`))
  const all = [...contract.api.scenarios.map((name) => join(folder, `${name}.json`)).filter(isWhole), ...files]
  return new Map(all.map((file) => readScenario(file, contract)).map((it) => [it.name as string, it]))
}
