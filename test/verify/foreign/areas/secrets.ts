import type { Credential, Rows, User } from '../data/rows.js'
import type { Service } from '../state.js'
import type { Bug } from '../switches/bugs/index.js'

/** A value of a secret as it is shown. */
function hidden(service: Service, value: unknown): unknown {
  if (service.chose('E8-mask-null')) return null
  if (!service.chose('E8-mask-ends')) return '********'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length < 9 ? '...' : `${text.slice(0, 2)}...${text.slice(-2)}`
}

/** A secret as it is shown: no value of it, unless a switch shows it. */
function shown(service: Service, secret: Record<string, unknown>, bug: Bug): Record<string, unknown> {
  if (service.broken(bug) || service.chose('E8-no-mask')) return secret
  if (service.chose('E8-mask-empty')) return {}
  return Object.fromEntries(Object.entries(secret).map(([name, value]) => [name, hidden(service, value)]))
}

export function baseOf(service: Service, credential: Credential, bug: Bug) {
  const { name, source, admin_public, curator_public, groups, secret } = credential
  return { credential_json: shown(service, secret, bug), admin_public, source, name, curator_public, groups }
}

export function snapshotOf(service: Service, credential: Credential, bug: Bug) {
  const { id, user } = credential
  return {
    ...baseOf(service, credential, bug),
    id,
    user_id: user,
    user_email: service.rows.users.find((it) => it.id === user)?.email ?? null,
    time_created: new Date(credential.created).toISOString(),
    time_updated: new Date(credential.updated).toISOString()
  }
}

/** The credential, where the user may read it. */
export function readable(service: Service, rows: Rows, id: number, user: User): Credential | undefined {
  const isPublic = (it: Credential) => it.admin_public && service.chose('E9-public')
  return rows.credentials.find((it) => it.id === id && (it.user === user.id || user.role === 'admin' || isPublic(it)))
}
