import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import { isOver } from './files.js'
import { done, type Model, missing, type Predict, readOnly } from './model.js'

type Persona = Rows['personas']
type User = Rows['users']

export function seesPersona(user: User, { owner_id, is_public, user_ids }: Persona): boolean {
  return user.role === 'admin' || is_public || owner_id === null || owner_id === user.id || user_ids.includes(user.id)
}

const getPersona: Predict = ({ path }, model, user) => {
  const persona = model.find('personas', path.persona_id)
  return persona && seesPersona(user, persona) ? done(record(model, persona)) : missing
}

const updatePersona: Predict = ({ path, body }, model, user) => {
  const persona = model.find('personas', path.persona_id)
  if (!persona || !isEditable(user, persona)) return persona && seesPersona(user, persona) ? readOnly : missing
  const { users, remove_image, uploaded_image_id, ...given } = body
  const lists = { tool_ids: 'tools', document_set_ids: 'documentSets', label_ids: 'labels' } as const
  for (const [field, name] of Object.entries(lists)) {
    if (given[field]?.some((id: number) => !model.find(name, id))) return missing
  }
  if (users?.some((id: string) => !model.find('users', id))) return missing
  if (given.user_file_ids?.some((id: string) => !isLinkable(model, user, persona, id))) return missing

  const changed = { ...persona } as Persona & Record<string, unknown>
  for (const [field, value] of Object.entries(given)) {
    changed[field] = field.endsWith('_ids') ? unique(value) : value
  }
  if (users !== undefined) changed.user_ids = unique(users)
  if (uploaded_image_id) changed.uploaded_image_id = uploaded_image_id
  else if (remove_image) changed.uploaded_image_id = null
  const { search_start_date: _, ...reply } = record(model, changed)
  return done(reply, () => model.add('personas', changed))
}

const deletePersona: Predict = ({ path }, model, user) => {
  const persona = model.find('personas', path.persona_id)
  if (!persona || !isEditable(user, persona)) return persona && seesPersona(user, persona) ? readOnly : missing
  return persona.builtin_persona ? { status: 400 } : done(null, () => dropPersona(model, persona))
}

export const personas = { getPersona, updatePersona, deletePersona }

/** Its sessions continue with the built-in agent, if there is one. */
export function dropPersona(model: Model, persona: Persona): void {
  model.remove('personas', [persona])
  for (const session of model.all('chatSessions', (it) => it.persona_id === persona.id)) {
    session.persona_id = model.find('personas', 0) ? 0 : null
  }
}

function isEditable(user: User, { owner_id }: Persona): boolean {
  return user.role === 'admin' || owner_id === user.id
}

function isLinkable(model: Model, user: User, persona: Persona, id: string): boolean {
  const file = model.find('userFiles', id)
  if (!file || file.status === 'DELETING') return false
  return [user.id, persona.owner_id].includes(file.user_id) || persona.user_file_ids.includes(id)
}

function record(model: Model, row: Persona) {
  const { tool_ids, label_ids, owner_id, user_ids, document_set_ids, ...shown } = row
  const present = <Row>(rows: (Row | undefined)[]): Row[] => rows.filter((it) => it !== undefined)
  return {
    ...shown,
    user_file_ids: row.user_file_ids.filter((id) => {
      const file = model.find('userFiles', id)
      return file && !isOver(model, file)
    }),
    tools: present(tool_ids.map((id) => model.find('tools', id))),
    labels: present(label_ids.map((id) => model.find('labels', id))),
    owner: reference(model, owner_id),
    users: user_ids.map((id) => reference(model, id)).filter((it) => it !== null),
    document_sets: present(document_set_ids.map((id) => model.find('documentSets', id))).map((set) =>
      documentSet(model, set)
    )
  }
}

function documentSet(model: Model, { cc_pair_ids, ...shown }: Rows['documentSets']) {
  return {
    ...shown,
    cc_pair_summaries: cc_pair_ids.map((id) => {
      const pair = model.find('connectorCredentials', id) as Rows['connectorCredentials']
      const { source } = model.find('connectors', pair.connector_id) as Rows['connectors']
      return { id, name: pair.name, source, access_type: pair.access_type }
    })
  }
}

function reference(model: Model, id: string | null) {
  const user = model.find('users', id)
  return user ? { id: user.id, email: user.email } : null
}

function unique(values: unknown): unknown[] & string[] {
  return [...new Set(values as string[])]
}
