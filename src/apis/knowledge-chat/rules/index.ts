import { chatRules } from './chat/chat.js'
import { connectorRules } from './connectors/connectors.js'
import { credentialRules } from './credentials/credentials.js'
import { fileRules } from './files/files.js'
import { limitRules } from './limits/limits.js'
import { personaRules } from './personas/personas.js'
import { projectRules } from './projects/projects.js'
import type { OperationId, Rule } from './rule.js'
import { toolRules } from './tools/tools.js'
import { userRules } from './users/users.js'
import { webRules } from './web/web.js'

/** The rule of every operation. A missing one does not compile. */
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
