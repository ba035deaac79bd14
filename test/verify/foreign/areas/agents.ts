import { z } from 'zod'
import type { Persona, Rows, User } from '../data/rows.js'
import { deleted } from '../deleted.js'
import type { Door } from '../http.js'
import { type Kinds, kindsOf } from '../kinds.js'
import { forbidden, impossible, notFound } from '../refused.js'
import { canSee, personaRecord } from './personas.js'

const changesOf = (kinds: Kinds) => ({
  name: kinds.text.optional(),
  description: kinds.text.optional(),
  system_prompt: kinds.text.optional(),
  task_prompt: kinds.text.optional(),
  llm_model_provider_override: kinds.text.optional(),
  llm_model_version_override: kinds.text.optional(),
  uploaded_image_id: kinds.text.optional(),
  icon_name: kinds.text.optional(),
  document_set_ids: kinds.integers.optional(),
  tool_ids: kinds.integers.optional(),
  groups: kinds.integers.optional(),
  label_ids: kinds.integers.optional(),
  num_chunks: kinds.integer.optional(),
  display_priority: kinds.integer.optional(),
  is_public: kinds.flag.optional(),
  llm_filter_extraction: kinds.flag.optional(),
  llm_relevance_filter: kinds.flag.optional(),
  datetime_aware: kinds.flag.optional(),
  remove_image: kinds.flag.optional(),
  is_default_persona: kinds.flag.optional(),
  replace_base_system_prompt: kinds.flag.optional(),
  starter_messages: z.array(z.object({ name: kinds.text, message: kinds.text })).optional(),
  users: z.array(kinds.uuid).optional(),
  user_file_ids: kinds.texts.optional(),
  search_start_date: kinds.moment.optional()
})

/** The agent, for one who may read it. */
function found(rows: Rows, id: number, user: User): Persona {
  const persona = rows.personas.find((it) => it.id === id && canSee(it, user))
  if (!persona) throw notFound('agent')
  return persona
}

/** The agent, for one who may change it. */
function owned(rows: Rows, id: number, user: User): Persona {
  const persona = found(rows, id, user)
  if (persona.owner !== user.id && user.role !== 'admin') throw forbidden('The agent is not yours.')
  return persona
}

/** Every id that a change names is one of a row. */
function checkNamed(rows: Rows, changes: Partial<Persona>): void {
  const named = [
    ['tool', changes.tool_ids, rows.tools],
    ['document set', changes.document_set_ids, rows.sets],
    ['label', changes.label_ids, rows.labels],
    ['user', changes.users, rows.users]
  ] as const
  for (const [what, ids = [], of] of named) {
    if (ids.some((id) => !of.some((row) => row.id === id))) throw impossible(`A ${what} is not known.`)
  }
}

export function addAgents(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)
  const path = { persona_id: kinds.pathInteger }
  const url = '/api/persona/:persona_id'

  door.add({
    id: 'E5',
    method: 'GET',
    url,
    path,
    answer: ({ user, path: { persona_id } }) => personaRecord(rows, found(rows, persona_id, user))
  })

  door.add({
    id: 'E6',
    method: 'PATCH',
    url,
    path,
    body: changesOf(kinds),
    answer({ user, path: { persona_id }, body }) {
      const persona = owned(rows, persona_id, user)
      const { remove_image, ...changes } = body
      checkNamed(rows, changes)
      for (const [name, value] of Object.entries(changes)) {
        if (value !== undefined) Object.assign(persona, { [name]: value })
      }
      if (remove_image) persona.uploaded_image_id = null
      return personaRecord(rows, persona)
    }
  })

  door.add({
    id: 'E7',
    method: 'DELETE',
    url,
    path,
    answer({ user, path: { persona_id } }) {
      const persona = owned(rows, persona_id, user)
      if (persona.isBuiltIn) throw forbidden('Built-in agents stay.')
      rows.personas.splice(rows.personas.indexOf(persona), 1)
      return deleted(service)
    }
  })
}
