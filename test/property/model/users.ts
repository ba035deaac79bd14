import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import { dropPair } from './credentials.js'
import { unlink } from './files.js'
import { done, type Model, missing, type Predict, readOnly } from './model.js'
import { dropPersona, seesPersona } from './personas.js'

const inviteUsers: Predict = ({ body }, model, user) => {
  const emails = body.emails as string[]
  if (emails.some((it) => !/^[\w.+-]+@[\w-]+\.[A-Za-z.]+$/.test(it))) return { status: 400 }
  const listed = model.all('invites').map((it) => it.email.toLowerCase())
  const fresh = [...new Map(emails.map((it) => [it.toLowerCase(), it])).keys()].filter((it) => !listed.includes(it))
  return done(listed.length + fresh.length, () => {
    for (const email of fresh) {
      const id = 1 + Math.max(0, ...model.all('invites').map((it) => it.id), ...(model.gone.invites as number[]))
      model.add('invites', { id, email, invited_at: model.moment, invited_by: user.id })
    }
  })
}

const deleteUser: Predict = ({ body }, model, user) => {
  const named = model.all('users', (it) => it.email.toLowerCase() === body.user_email.toLowerCase())[0]
  if (!named) return missing
  return named === user ? { status: 400 } : done(null, () => dropUser(model, named))
}

const getUserRole: Predict = (_, __, { role }) => done({ role })

const deleteTool: Predict = ({ path }, model, user) => {
  const tool = model.find('tools', path.tool_id)
  if (!tool) return missing
  if (tool.in_code_tool_id !== null) return { status: 400 }
  if (user.role !== 'admin' && tool.user_id !== user.id) {
    const isSeen = model.all('personas', (it) => it.tool_ids.includes(tool.id) && seesPersona(user, it)).length > 0
    return isSeen ? readOnly : missing
  }
  return done(null, () => dropTool(model, tool))
}

const deleteTokenRateLimit: Predict = ({ path }, model) => {
  const limit = model.find('tokenRateLimits', path.token_rate_limit_id)
  return limit ? done(null, () => model.remove('tokenRateLimits', [limit])) : missing
}

export const users = { inviteUsers, deleteUser, getUserRole, deleteTool, deleteTokenRateLimit }

/** With all rows of the user; nothing refers to the user any more. */
function dropUser(model: Model, user: Rows['users']): void {
  model.remove(
    'chatSessions',
    model.all('chatSessions', (it) => it.user_id === user.id)
  )
  for (const file of model.all('userFiles', (it) => it.user_id === user.id)) {
    unlink(model, file)
    model.remove('userFiles', [file])
  }
  for (const project of model.all('projects', (it) => it.user_id === user.id)) {
    model.remove(
      'projectFiles',
      model.all('projectFiles', (it) => it.project_id === project.id)
    )
    model.remove('projects', [project])
  }
  for (const persona of model.all('personas', (it) => it.owner_id === user.id)) dropPersona(model, persona)
  for (const tool of model.all('tools', (it) => it.user_id === user.id)) dropTool(model, tool)
  for (const credential of model.all('credentials', (it) => it.user_id === user.id)) {
    for (const pair of model.all('connectorCredentials', (it) => it.credential_id === credential.id)) {
      dropPair(model, pair)
    }
    model.remove('credentials', [credential])
  }
  for (const persona of model.all('personas')) persona.user_ids = persona.user_ids.filter((id) => id !== user.id)
  for (const set of model.all('documentSets')) set.users = set.users.filter((id) => id !== user.id)
  for (const invite of model.all('invites', (it) => it.invited_by === user.id)) invite.invited_by = null
  model.remove(
    'invites',
    model.all('invites', (it) => it.email.toLowerCase() === user.email.toLowerCase())
  )
  model.remove('users', [user])
}

function dropTool(model: Model, tool: Rows['tools']): void {
  for (const persona of model.all('personas')) persona.tool_ids = persona.tool_ids.filter((id) => id !== tool.id)
  model.remove('tools', [tool])
}
