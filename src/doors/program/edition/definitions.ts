import { knowledgeChat } from '../../../apis/knowledge-chat/api.js'
import { readDefinitions } from '../../../engine/ledger/edition.js'
import type { Definitions } from '../../../engine/sandbox/starts.js'
import type { ModuleLoader } from '../../with/modules.js'
import { readWith, type WithSource } from '../../with/with.js'

interface DefinitionOptions {
  contracts?: string
  with: readonly WithSource[]
}

/**
 * The contracts, ledger and fixtures of a mock, including the user's own. `say` receives remarks that are not errors.
 */
export function definitionsOf(
  { contracts, with: sources }: DefinitionOptions,
  say: (text: string) => void,
  load?: ModuleLoader
): Definitions {
  const definitions = readDefinitions(knowledgeChat, contracts)
  return { ...definitions, beside: readWith(sources, definitions.documents, say, load) }
}
