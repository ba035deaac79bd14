import { z } from 'zod'
import { deleted } from '../deleted.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { impossible, notFound } from '../refused.js'

export function addUsers(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)

  /** Invites those who are not yet there; the number of them. */
  function invite(emails: string[]): number {
    const isNew = (address: string) => !rows.invited.has(address) && !rows.users.some(({ email }) => email === address)
    const fresh = new Set(emails.filter(isNew))
    for (const email of fresh) rows.invited.add(email)
    return fresh.size
  }

  door.add({
    id: 'E27',
    method: 'PUT',
    url: '/api/manage/admin/users',
    body: { emails: z.array(z.email()) },
    answer: ({ body: { emails = [] } }) => invite([emails].flat()),
    refused({ body }) {
      const { emails } = body as { emails?: unknown }
      if (service.broken('E27-partial') && Array.isArray(emails)) {
        invite(emails.filter((it) => typeof it === 'string' && it.includes('@')))
      }
    }
  })

  door.add({
    id: 'E28',
    method: 'DELETE',
    url: '/api/manage/admin/delete-user',
    body: { user_email: kinds.text },
    answer({ user, body: { user_email } }) {
      const found = rows.users.find(({ email }) => email === user_email)
      if (!found && service.broken('E28-unknown')) throw new Error('no row')
      if (!found) throw notFound('user')
      if (found === user) throw impossible('Nobody deletes themselves.')
      const gone = service.broken('E28-caller') ? user : found
      const goes = (it: typeof user) => it === gone || (service.broken('E28-plain') && it.role === 'basic')
      if (!service.broken('E28-kept')) rows.users = rows.users.filter((it) => !goes(it))
      return deleted(service)
    }
  })

  door.add({
    id: 'E29',
    method: 'GET',
    url: '/api/get-user-role',
    answer: ({ user }) => ({ role: service.broken('role-always-admin') ? 'admin' : user.role })
  })

  door.add({
    id: 'E30',
    method: 'DELETE',
    url: '/api/admin/token-rate-limits/rate-limit/:token_rate_limit_id',
    path: { token_rate_limit_id: kinds.pathInteger },
    answer({ path: { token_rate_limit_id } }) {
      if (!rows.limits.some(({ id }) => id === token_rate_limit_id)) throw notFound('limit')
      if (service.broken('E30-all')) rows.limits = []
      if (!service.broken('E30-kept')) rows.limits = rows.limits.filter(({ id }) => id !== token_rate_limit_id)
      return deleted(service)
    }
  })
}
