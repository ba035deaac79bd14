import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import { type Probe, seen, statusOf } from '../probe.js'

const first = '/api/persona/1'
const session = '2d1f3c58-4b0e-4f6a-9d8e-6f0a0e9b7c11'

export const personaProbes: Record<string, Probe> = {
  'persona.patch': async ({ call, sandbox: { rows } }) => {
    const row = rows.personas.get(1) as Rows['personas']
    rows.personas.put({ ...row, is_default_persona: true })
    const { body } = await call('PATCH', first, { body: { name: 'Scribe' } })
    return [body.name, body.description, body.is_default_persona, rows.personas.get(1)?.tool_ids]
  },

  'persona.search-start-date': async ({ call }) =>
    'search_start_date' in (await call('PATCH', first, { body: { name: 'Scribe' } })).body,

  'persona.display-priority': async ({ call, sandbox: { rows } }) => {
    rows.personas.put({ ...(rows.personas.get(1) as Rows['personas']), display_priority: 3 })
    return (await call('PATCH', first, { body: { display_priority: 9 } })).body.display_priority
  },

  'persona.visible-again': async ({ call, sandbox: { rows } }) => {
    rows.personas.put({ ...(rows.personas.get(1) as Rows['personas']), is_visible: false })
    return (await call('PATCH', first, { body: { name: 'Scribe' } })).body.is_visible
  },

  'persona.num-chunks': ({ call }) => statusOf(call('PATCH', first, { body: { num_chunks: 2.5 } })),

  'persona.references': async ({ call, sandbox: { rows } }) => {
    const status = await statusOf(call('PATCH', first, { body: { tool_ids: [3, 999] } }))
    return [status, rows.personas.get(1)?.tool_ids]
  },

  'persona.visibility': ({ call, sandbox: { rows } }) => {
    const row = rows.personas.get(1) as Rows['personas']
    rows.personas.put({ ...row, is_public: false, user_ids: [] })
    return statusOf(call('GET', first, { as: 'basic' }))
  },

  'persona.image': async ({ call, sandbox: { rows } }) => {
    await call('PATCH', first, { body: { uploaded_image_id: 'portrait', remove_image: true } })
    return rows.personas.get(1)?.uploaded_image_id
  },

  'persona.builtin': ({ call }) => statusOf(call('PATCH', '/api/persona/0', { body: { name: 'Helper' } })),

  'persona.unknown-id': async ({ call, sandbox: { rows } }) => {
    const status = await statusOf(call('PATCH', '/api/persona/4711', { body: { name: 'Scribe' } }))
    return [status, rows.personas.get(4711)?.name]
  },

  'persona.builtin-deletion': ({ call }) => statusOf(call('DELETE', '/api/persona/0')),

  'persona.default': ({ call }) =>
    statusOf(call('PATCH', first, { body: { is_default_persona: true, is_public: false } })),

  'persona.deletion': async ({ call, sandbox: { rows } }) => {
    await call('DELETE', first)
    return rows.chatSessions.get(session)?.persona_id
  },

  'delete.body': ({ call }) => seen(call('DELETE', first))
}
