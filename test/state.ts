import type { State as StateDocument } from '../src/contract/types.gen.js'
import type { State } from '../src/mock/sandbox/state.js'
import type { ControlContext } from '../src/rules/control/rule.js'
import { readState } from '../src/rules/control/state/whole-state.js'
import { atOnce } from '../src/store/steps.js'

/** A state as the control API gives it out, with its secrets. */
export function stateOf(sandbox: State): StateDocument {
  return atOnce(readState({ query: {} }, { sandbox } as ControlContext))
}
