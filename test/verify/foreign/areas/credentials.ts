import type { Credential, Rows, User } from '../data/rows.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { notFound } from '../refused.js'
import { pause } from '../state.js'

/** No value of a secret is ever shown. */
const masked = (secret: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(secret).map((name) => [name, '********']))

export function baseOf(credential: Credential, isOpen: boolean) {
  const { name, source, admin_public, curator_public, groups, secret } = credential
  return { credential_json: isOpen ? secret : masked(secret), admin_public, source, name, curator_public, groups }
}

export function snapshotOf(rows: Rows, credential: Credential, isOpen: boolean) {
  const { id, user } = credential
  return {
    ...baseOf(credential, isOpen),
    id,
    user_id: user,
    user_email: rows.users.find((it) => it.id === user)?.email ?? null,
    time_created: new Date(credential.created).toISOString(),
    time_updated: new Date(credential.updated).toISOString()
  }
}

const isOwn = ({ user }: Credential, caller: User) => user === caller.id || caller.role === 'admin'

/** E8 and E9: a user's own credentials. */
export function addCredentials(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)

  async function newId(): Promise<number> {
    if (!service.broken('race-E8')) return service.nextId()
    const id = rows.nextId + 1
    await pause()
    rows.nextId = id
    return id
  }

  door.add({
    id: 'E8',
    method: 'POST',
    url: '/api/manage/credential',
    body: {
      credential_json: kinds.object,
      admin_public: kinds.flag,
      source: kinds.source,
      name: kinds.text.optional(),
      curator_public: kinds.flag.optional(),
      groups: kinds.integers.optional()
    },
    async answer({ user, body }) {
      const now = Date.now()
      const credential: Credential = {
        id: await newId(),
        user: user.id,
        name: body.name ?? null,
        source: service.broken('E8-source') ? 'web' : body.source,
        secret: body.credential_json,
        admin_public: service.broken('E8-public') || body.admin_public,
        curator_public: body.curator_public ?? service.broken('E8-curator-default'),
        groups: body.groups ?? [],
        created: now,
        updated: now
      }
      if (!service.broken('E8-lost')) rows.credentials.push(credential)
      if (service.broken('E8-twice')) rows.credentials.push({ ...credential, id: service.nextId() })
      const id = service.broken('E8-id') ? credential.id + 100_000 : credential.id
      return { id, credential: snapshotOf(rows, credential, service.broken('E8-secret')) }
    },
    refused({ body }) {
      if (service.broken('E8-no-body') && body === undefined) throw new Error('no body')
    }
  })

  door.add({
    id: 'E9',
    method: 'GET',
    url: '/api/manage/credential/:credential_id',
    path: { credential_id: kinds.pathInteger },
    answer({ user, path: { credential_id } }) {
      const credential = rows.credentials.find((it) => it.id === credential_id && isOwn(it, user))
      if (!credential) throw notFound('credential')
      return snapshotOf(rows, credential, service.broken('E9-secret'))
    }
  })
}
