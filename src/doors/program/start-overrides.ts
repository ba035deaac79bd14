import type { Contract } from '../../engine/contract/contract.js'
import { readJson, shown } from '../../engine/contract/load.js'
import { Refusal } from '../../engine/contract/message/refusal.js'
import type { Operation } from '../../engine/contract/model.js'
import { Invalid } from '../../engine/contract/pydantic/explain.js'
import type { NewOverride, ReplaceOverridesInput } from '../../engine/contract/types.gen.js'
import { checkOverrides } from '../../engine/control/checks/check-override.js'
import type { Sandbox } from '../../engine/sandbox/sandbox.js'
import { checkedInput } from '../../engine/serve/control/call.js'
import { foreseen } from '../../engine/serve/control/problem.js'

/** The initial overrides of sandboxes. */
export interface StartOverrides {
  readonly list: readonly NewOverride[]
  /**
   * Reads the file again and updates all sandboxes. Returns the number of overrides. Throws an Error if one is wrong.
   */
  takeUp(): number
}

export function createStartOverrides(
  file: string | undefined,
  sandboxes: ReadonlyMap<string, Sandbox>,
  contract: () => Contract
): StartOverrides {
  let list: readonly NewOverride[] = []
  const takeUp = () => {
    list = file === undefined ? [] : readOverrides(file, contract())
    for (const sandbox of sandboxes.values()) sandbox.overrides.startWith(list)
    return list.length
  }
  takeUp()
  return {
    get list() {
      return list
    },
    takeUp
  }
}

/** Reads the overrides in a JSON file. Throws an Error that names the file, the place in the list and the valid values. */
function readOverrides(file: string, contract: Contract): NewOverride[] {
  const list = parsed(file)
  if (!Array.isArray(list))
    throw new Error(`${shown(file)}: give a list of overrides, as POST /__mock/overrides takes them.`)
  const operation = contract.control.get('replaceOverrides') as Operation
  try {
    const { body } = checkedInput({ operation, contract, raw: { path: {}, query: {}, body: list }, assumed: new Set() })
    return checkOverrides(contract, body as ReplaceOverridesInput['body'])
  } catch (error) {
    if (!(error instanceof Invalid || error instanceof Refusal)) throw error
    const { errors, detail } = foreseen({ operation, contract }, error)?.body ?? { detail: '' }
    const [first] = errors ?? []
    if (!first) throw new Error(`${shown(file)}: ${detail}`)
    const [index, ...field] = first.field.split('.')
    const good = first.allowed ? ` Good values: ${first.allowed.join(', ')}.` : ''
    throw new Error(`${shown(file)}[${index}]${field.length > 0 ? ` ${field.join('.')}` : ''}: ${first.detail}${good}`)
  }
}

function parsed(file: string): unknown {
  try {
    return readJson(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new Error(code === 'ENOENT' ? `overrides is ${file}: there is no such file.` : `${shown(file)}: ${message}`)
  }
}
