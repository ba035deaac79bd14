import { z } from 'zod'
import { deleted } from '../deleted.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { impossible, notFound } from '../refused.js'

export function addUsers(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)

  door.add({
    id: 'E27',
    method: 'PUT',
    url: '/api/manage/admin/users',
    body: { emails: z.array(z.email()) },
    answer({ body: { emails } }) {
      const fresh = new Set(
        emails.filter((it) => !rows.invited.has(it) && !rows.users.some(({ email }) => email === it))
      )
      for (const email of fresh) rows.invited.add(email)
      return fresh.size
    }
  })

  door.add({
    id: 'E28',
    method: 'DELETE',
    url: '/api/manage/admin/delete-user',
    body: { user_email: kinds.text },
    answer({ user, body: { user_email } }) {
      const place = rows.users.findIndex(({ email }) => email === user_email)
      if (place < 0) throw notFound('user')
      if (user_email === user.email) throw impossible('Nobody deletes themselves.')
      rows.users.splice(place, 1)
      return deleted(service)
    }
  })

  door.add({ id: 'E29', method: 'GET', url: '/api/get-user-role', answer: ({ user }) => ({ role: user.role }) })

  door.add({
    id: 'E30',
    method: 'DELETE',
    url: '/api/admin/token-rate-limits/rate-limit/:token_rate_limit_id',
    path: { token_rate_limit_id: kinds.pathInteger },
    answer({ path: { token_rate_limit_id } }) {
      const place = rows.limits.findIndex(({ id }) => id === token_rate_limit_id)
      if (place < 0) throw notFound('limit')
      rows.limits.splice(place, 1)
      return deleted(service)
    }
  })
}
