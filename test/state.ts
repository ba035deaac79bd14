import { knowledgeChat } from '../src/apis/knowledge-chat/api.js'
import type { State as StateDocument } from '../src/engine/contract/types.gen.js'
import type { ControlContext } from '../src/engine/control/rule.js'
import { readState } from '../src/engine/control/state/whole-state.js'
import type { State } from '../src/engine/sandbox/state.js'
import { atOnce } from '../src/engine/store/steps.js'

/** A state as the control API returns it, with its secrets. */
export function stateOf(sandbox: State): StateDocument {
  return atOnce(readState({ query: {} }, { sandbox, contract: { api: knowledgeChat } } as ControlContext))
}
