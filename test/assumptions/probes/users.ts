import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import { type Probe, seen, statusOf } from '../probe.js'

const invite = '/api/manage/admin/users'

export const userProbes: Record<string, Probe> = {
  'invites.invalid': ({ call }) => seen(call('PUT', invite, { body: { emails: ['alan@example.com', 'nobody'] } })),

  'invites.count': async ({ call }) => (await call('PUT', invite, { body: { emails: ['alan@example.com'] } })).body,

  'invites.case': async ({ call }) =>
    (await call('PUT', invite, { body: { emails: ['Q@example.com', 'q@example.com'] } })).body,

  'invites.registered': async ({ call, sandbox: { rows } }) => {
    await call('PUT', invite, { body: { emails: ['Grace@example.com'] } })
    return rows.invites.first('byEmail', 'grace@example.com') !== undefined
  },

  'invites.addresses': ({ call }) => statusOf(call('PUT', invite, { body: { emails: ['nobody'] } })),

  'users.deletion': async ({ call, sandbox: { rows } }) => {
    const owner_id = rows.users.first('byEmail', 'grace@example.com')?.id as string
    rows.personas.put({ ...(rows.personas.get(1) as Rows['personas']), owner_id })
    await call('DELETE', '/api/manage/admin/delete-user', { body: { user_email: 'grace@example.com' } })
    return rows.personas.get(1)?.owner_id
  },

  'users.address-case': ({ call }) =>
    statusOf(call('DELETE', '/api/manage/admin/delete-user', { body: { user_email: 'GRACE@example.com' } })),

  'users.delete-active': async ({ call, sandbox: { rows } }) => [
    await statusOf(call('DELETE', '/api/manage/admin/delete-user', { body: { user_email: 'grace@example.com' } })),
    rows.users.first('byEmail', 'grace@example.com') !== undefined
  ]
}
