import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import { type Probe, seen, statusOf } from '../probe.js'

const role = '/api/get-user-role'

export const authProbes: Record<string, Probe> = {
  'auth.unauthenticated': async ({ call }) => {
    const { status, body, headers } = await call('GET', role, { as: null })
    return [status, body, headers.get('www-authenticate')]
  },

  'auth.scheme-case': ({ call }) =>
    statusOf(call('GET', role, { as: null, headers: { Authorization: 'bearer admin' } })),

  'auth.cookie': ({ call, sandbox: { name } }) =>
    statusOf(call('GET', role, { as: null, headers: { Cookie: `kcm-token=admin~${name}` } })),

  'auth.unknown-token': ({ call }) => seen(call('GET', role, { as: 'nobody' })),

  'auth.editing': async ({ call, sandbox: { rows } }) => {
    rows.personas.put({ ...(rows.personas.get(1) as Rows['personas']), owner_id: null, is_public: true })
    return [
      await statusOf(call('PATCH', '/api/persona/1', { as: 'curator', body: { name: 'Scribe' } })),
      await statusOf(call('PATCH', '/api/persona/1', { as: 'basic', body: { name: 'Scribe' } })),
      await statusOf(call('PATCH', '/api/persona/1', { body: { name: 'Scribe' } }))
    ]
  },

  'auth.roles': async ({ call }) => [
    await statusOf(call('GET', '/api/manage/admin/credential', { as: 'curator' })),
    await statusOf(call('GET', '/api/manage/admin/credential', { as: 'basic' })),
    await statusOf(call('GET', '/api/chat/get-user-chat-sessions', { as: 'limited' }))
  ],

  'auth.order': ({ call }) => seen(call('POST', '/api/chat/create-chat-session', { as: null, body: '{' }))
}
