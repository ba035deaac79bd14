import { chatRules } from './chat.js'
import { connectorRules } from './connectors.js'
import { credentialRules } from './credentials.js'
import { fileRules } from './files.js'
import { limitRules } from './limits.js'
import { personaRules } from './personas.js'
import { projectRules } from './projects.js'
import type { OperationId, Rule } from './rule.js'
import { toolRules } from './tools.js'
import { userRules } from './users.js'
import { webRules } from './web.js'

/** The rule of every operation. One that is missing does not compile. */
export const rules: { readonly [Id in OperationId]: Rule<Id> } = {
  ...chatRules,
  ...personaRules,
  ...credentialRules,
  ...connectorRules,
  ...webRules,
  ...toolRules,
  ...projectRules,
  ...fileRules,
  ...userRules,
  ...limitRules
}
