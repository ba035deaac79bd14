import { z } from 'zod'
import { follow, type JsonObject, readDocuments } from '../../../../src/engine/contract/load.js'
import type { Persona, User } from '../data/rows.js'
import { deleted, nothingDeleted } from '../deleted.js'
import type { Door } from '../http.js'
import { type Kinds, kindsOf } from '../kinds.js'
import { forbidden, impossible, invalid, notFound, Refused } from '../refused.js'
import { pause, type Service } from '../state.js'
import { change } from './change.js'
import { canSee, personaReply } from './personas.js'

const namedChanges = (kinds: Kinds) => ({
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

const { properties } = follow(readDocuments(), 'personas.json#/operations/updatePersona/input/body') as JsonObject
const younger = (kinds: Kinds): Record<string, z.ZodType> => ({
  string: kinds.text,
  integer: kinds.integer,
  boolean: kinds.flag
})

/** All fields of a change. Those that are younger than this service are known by the interface alone. */
const changesOf = (kinds: Kinds): ReturnType<typeof namedChanges> => {
  const all = Object.entries(properties as Record<string, { type: string }>)
  return {
    ...Object.fromEntries(all.map(([name, { type }]) => [name, younger(kinds)[type]?.optional()])),
    ...namedChanges(kinds)
  }
}

/** The agent, for one who may read it. */
function found(service: Service, id: number, user: User): Persona {
  const persona = service.rows.personas.find((it) => it.id === id)
  const isOwn = persona?.owner === user.id || user.role === 'admin'
  if (!persona || (!isOwn && service.chose('plain-reads-own-agents'))) throw notFound('agent')
  if (!canSee(persona, user)) throw service.chose('others-403') ? forbidden('Not yours.') : notFound('agent')
  return persona
}

/** The agent, for one who may change it. */
function owned(service: Service, id: number, user: User): Persona {
  const persona = found(service, id, user)
  if (persona.owner !== user.id && user.role !== 'admin') throw forbidden('The agent is not yours.')
  return persona
}

/** Every id that a change names is one of a row. Throws where it is not, or leaves it out. */
function checkNamed(service: Service, changes: Partial<Persona>): void {
  const { rows } = service
  const named = [
    ['tool_ids', changes.tool_ids, rows.tools],
    ['document_set_ids', changes.document_set_ids, rows.sets],
    ['label_ids', changes.label_ids, rows.labels],
    ['users', changes.users, rows.users]
  ] as const
  for (const [name, ids = [], of] of named) {
    if (service.has(`unchecked E6 ${name}`) || service.has(`unchecked E6 ${name}[]`)) continue
    const known = (ids as unknown[]).filter((id) => of.some((row) => row.id === id))
    if (known.length === ids.length) continue
    if (service.chose('E6-unknown-left-out')) Object.assign(changes, { [name]: known })
    else if (service.chose('E6-unknown-422')) {
      throw invalid({ loc: ['body', name], msg: 'Some are not known.', type: 'unknown_id' })
    } else throw impossible(`Some of ${name} are not known.`)
  }
}

function checkName(service: Service, persona: Persona, name: string | undefined): void {
  const isTaken = service.rows.personas.some((it) => it !== persona && it.name === name)
  if (isTaken && service.chose('E6-name-once')) throw new Refused(409, { error: { code: 'taken', text: 'Taken.' } })
  if (name === '' && service.chose('E6-no-empty-name')) {
    throw invalid({ loc: ['body', 'name'], msg: 'An agent needs a name.', type: 'empty' })
  }
}

export function addAgents(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)
  const path = { persona_id: kinds.pathInteger }
  const url = '/api/persona/:persona_id'
  const after = (persona: Persona) => rows.personas[rows.personas.indexOf(persona) + 1]

  door.add({
    id: 'E5',
    method: 'GET',
    url,
    path,
    answer({ user, path: { persona_id } }) {
      const persona = found(service, persona_id, user)
      if (service.broken('E5-counts')) persona.display_priority += 1
      return personaReply(rows, (service.broken('E5-neighbour') && after(persona)) || persona)
    }
  })

  door.add({
    id: 'E6',
    method: 'PATCH',
    url,
    path,
    body: changesOf(kinds),
    async answer({ user, path: { persona_id }, body }) {
      const persona = owned(service, persona_id, user)
      const before = personaReply(rows, persona)
      const { remove_image, ...changes } = body
      checkNamed(service, changes)
      if (service.chose('E5-files-of-agent')) {
        changes.user_file_ids &&= changes.user_file_ids.filter((id) => rows.files.some((it) => it.id === id))
      }
      checkName(service, persona, changes.name)
      if (persona.isBuiltIn && service.chose('E6-built-in')) throw forbidden('Built-in agents stay as they are.')
      const copy = { ...persona }
      if (service.broken('race-E6')) await pause()
      change(service, copy, changes)
      if (remove_image && !service.broken('E6-image')) copy.uploaded_image_id = null
      if (service.broken('E6-echo')) return personaReply(rows, copy)
      Object.assign(persona, copy)
      const other = rows.personas.find(({ id }) => id === 105)
      if (service.broken('E6-copies') && other) other.description = persona.description
      const neighbour = after(persona)
      if (service.broken('E6-neighbour') && neighbour) change(service, neighbour, changes)
      return service.broken('E6-old') ? before : personaReply(rows, persona)
    },
    refused({ user, path, body }) {
      if (!service.broken('E6-half') || typeof body !== 'object') return
      const good = Object.entries(changesOf(kinds)).flatMap(([name, schema]) => {
        const { success, data } = schema.safeParse((body as Record<string, unknown>)?.[name])
        return success ? [[name, data]] : []
      })
      change(service, owned(service, path.persona_id as number, user), Object.fromEntries(good))
    }
  })

  door.add({
    id: 'E7',
    method: 'DELETE',
    url,
    path,
    answer({ user, path: { persona_id } }) {
      if (!rows.personas.some(({ id }) => id === persona_id)) return nothingDeleted(service, 'agent')
      const persona = owned(service, persona_id, user)
      if (persona.isBuiltIn && !service.chose('E7-built-in')) throw forbidden('Built-in agents stay.')
      if (service.broken('E7-kept')) return deleted(service)
      if (service.broken('E7-another')) rows.personas = rows.personas.filter(({ id }) => id !== 105)
      const place = rows.personas.indexOf(persona)
      if (service.broken('E7-neighbour')) rows.personas.splice(place - 1, 2)
      else rows.personas.splice(place, 1)
      return deleted(service)
    }
  })
}
