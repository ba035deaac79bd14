import { type Probe, seen, statusOf } from '../probe.js'

const role = '/api/get-user-role'

export const authProbes: Record<string, Probe> = {
  'auth.unauthenticated': async ({ call }) => {
    const { status, body, headers } = await call('GET', role, { as: null })
    return [status, body, headers.get('www-authenticate')]
  },

  'auth.unknown-token': ({ call }) => seen(call('GET', role, { as: 'nobody' })),

  'auth.roles': async ({ call }) => [
    await statusOf(call('GET', '/api/manage/admin/credential', { as: 'curator' })),
    await statusOf(call('GET', '/api/manage/admin/credential', { as: 'basic' })),
    await statusOf(call('GET', '/api/chat/get-user-chat-sessions', { as: 'limited' }))
  ],

  'auth.order': ({ call }) => seen(call('POST', '/api/chat/create-chat-session', { as: null, body: '{' }))
}
