import type { Rows } from '../../types.gen.js'
import { builtInPersona } from '../personas/visibility.js'
import type { Context } from '../rule.js'

/** The effects of removing a row on other rows, so that no response names a missing row. */

/** E7: its sessions continue with the built-in agent, or keep its id, depending on `persona.deletion`. */
export function removePersona(context: Context, persona: Rows['personas']): void {
  const { rows } = context
  rows.personas.remove(persona.id)
  const sessions = [...rows.chatSessions.where('byPersona', persona.id)]
  if (sessions.length === 0 || context.assume('persona.deletion') === 'kept') return
  const heir = rows.personas.get(builtInPersona)?.id ?? null
  for (const session of sessions) rows.chatSessions.put({ ...session, persona_id: heir })
}

/** E20: removes the tool from every agent. */
export function removeTool({ rows }: Context, tool: Rows['tools']): void {
  for (const persona of [...rows.personas.where('byTool', tool.id)]) {
    rows.personas.put({ ...persona, tool_ids: persona.tool_ids.filter((id) => id !== tool.id) })
  }
  rows.tools.remove(tool.id)
}

/** E26: removes the file from every project and agent. The caller removes or marks the row itself. */
export function unlinkFile({ rows }: Pick<Context, 'rows'>, file: Rows['userFiles']): void {
  for (const link of [...rows.projectFiles.where('byFile', file.id)]) rows.projectFiles.remove(link.id)
  for (const persona of [...rows.personas.where('byFile', file.id)]) {
    rows.personas.put({ ...persona, user_file_ids: persona.user_file_ids.filter((id) => id !== file.id) })
  }
}

/** E28: also removes the user's own rows. Rows that others shared with the user stay. */
export function removeUser(context: Context, user: Rows['users']): void {
  const { rows } = context
  for (const session of [...rows.chatSessions.where('byUpdate', user.id)]) rows.chatSessions.remove(session.id)
  for (const file of [...rows.userFiles.where('byUser', user.id)]) {
    unlinkFile(context, file)
    rows.userFiles.remove(file.id)
  }
  for (const project of [...rows.projects.where('byUser', user.id)]) removeProject(context, project)
  const personas = [...rows.personas.where('byOwner', user.id)]
  const tools = [...rows.tools.where('byUser', user.id)]
  const credentials = [...rows.credentials.where('byUser', user.id)]
  const ownsAny = personas.length + tools.length + credentials.length > 0
  if (ownsAny && context.assume('users.deletion') === 'some-stay') {
    for (const persona of personas) rows.personas.put({ ...persona, owner_id: null })
    for (const tool of tools) rows.tools.put({ ...tool, user_id: null })
    for (const credential of credentials) rows.credentials.put({ ...credential, user_id: null })
  } else {
    for (const persona of personas) removePersona(context, persona)
    for (const tool of tools) removeTool(context, tool)
    for (const credential of credentials) removeCredential(context, credential)
  }
  for (const persona of [...rows.personas.where('byUser', user.id)]) {
    rows.personas.put({ ...persona, user_ids: persona.user_ids.filter((id) => id !== user.id) })
  }
  for (const set of [...rows.documentSets.where('byUser', user.id)]) {
    rows.documentSets.put({ ...set, users: set.users.filter((id) => id !== user.id) })
  }
  for (const invite of [...rows.invites.where('byInviter', user.id)]) {
    rows.invites.put({ ...invite, invited_by: null })
  }
  for (const invite of [...rows.invites.where('byEmail', user.email.toLowerCase())]) rows.invites.remove(invite.id)
  rows.users.remove(user.id)
}

function removeProject({ rows }: Context, project: Rows['projects']): void {
  for (const link of [...rows.projectFiles.where('byProject', project.id)]) rows.projectFiles.remove(link.id)
  for (const session of [...rows.chatSessions.where('byProject', project.id)]) {
    rows.chatSessions.put({ ...session, project_id: null })
  }
  rows.projects.remove(project.id)
}

function removeCredential(context: Context, credential: Rows['credentials']): void {
  const { rows } = context
  for (const pair of [...rows.connectorCredentials.where('byCredential', credential.id)]) removePair(context, pair)
  rows.credentials.remove(credential.id)
}

/** E14: also removes its attempts, and the pair from every document set. */
export function removePair(context: Context, pair: Rows['connectorCredentials']): void {
  const { rows } = context
  for (const attempt of [...rows.indexAttempts.where('byPair', pair.id)]) rows.indexAttempts.remove(attempt.id)
  for (const set of [...rows.documentSets.where('byPair', pair.id)]) {
    const is_up_to_date = set.is_up_to_date && context.assume('pairing.removal') === 'up-to-date'
    rows.documentSets.put({ ...set, is_up_to_date, cc_pair_ids: set.cc_pair_ids.filter((id) => id !== pair.id) })
  }
  rows.connectorCredentials.remove(pair.id)
}
