import { z } from 'zod'
import { deleted, nothingDeleted } from '../deleted.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { impossible, invalid, Refused } from '../refused.js'

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

  const address = service.chose('E27-any-text') ? z.string() : z.email()
  const domains = service.chose('E27-own-domains') ? /@(workshop\.example|example\.(com|org|net))$/ : undefined

  door.add({
    id: 'E27',
    method: 'PUT',
    url: '/api/manage/admin/users',
    body: { emails: service.chose('E27-empty') ? z.array(address).min(1) : z.array(address) },
    answer({ body: { emails: sent } }) {
      const emails = [sent ?? []].flat()
      const isBad = (it: string) => domains !== undefined && !domains.test(it)
      const bad = emails.findIndex(isBad)
      if (bad >= 0) throw invalid({ loc: ['body', 'emails', bad], msg: 'Not one of ours.', type: 'other_domain' })
      const count = invite(emails)
      return service.chose('E27-counts-all') ? emails.length : count
    },
    refused({ body }) {
      const { emails } = (body ?? {}) as { emails?: unknown }
      const isText = Array.isArray(emails) && emails.every((it) => typeof it === 'string')
      if (isText && service.chose('E27-400')) throw impossible('A bad address.')
      if (isText && service.chose('E27-409')) throw new Refused(409, { first: 'bad' })
      if (service.broken('E27-partial') && Array.isArray(emails)) {
        invite(emails.filter((it) => typeof it === 'string' && it.includes('@')))
      }
    }
  })

  door.add({
    id: 'E28',
    method: 'DELETE',
    url: '/api/manage/admin/delete-user',
    body: { user_email: service.chose('E28-address') ? z.email() : kinds.text },
    answer({ user, body: { user_email } }) {
      const wanted = service.chose('E28-any-case') ? user_email?.toLowerCase() : user_email
      const found = rows.users.find(({ email }) => email === wanted)
      if (!found && service.broken('E28-unknown')) throw new Error('no row')
      if (!found) return nothingDeleted(service, 'user')
      if (service.chose('E28-active')) throw impossible('The user is active.')
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
      if (!rows.limits.some(({ id }) => id === token_rate_limit_id)) return nothingDeleted(service, 'limit')
      if (service.broken('E30-all')) rows.limits = []
      if (!service.broken('E30-kept')) rows.limits = rows.limits.filter(({ id }) => id !== token_rate_limit_id)
      return deleted(service)
    }
  })
}
