import type { Credential } from '../data/rows.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { forbidden, impossible, invalid, notFound, Refused } from '../refused.js'
import { pause, type Service } from '../state.js'
import { readable, snapshotOf } from './secrets.js'

/** What a service does that wants a certain key in every credential. */
function checkKeys(service: Service): void {
  if (service.chose('E8-keys-400')) throw impossible('It needs a token.')
  const loc = ['body', 'credential_json', 'token']
  if (service.chose('E8-keys-422')) throw invalid({ loc, msg: 'It is needed.', type: 'key' })
}

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
      const isPublic = body.admin_public || body.curator_public
      if (isPublic && user.role !== 'admin' && service.chose('E8-public-by-admins')) throw forbidden('Not public.')
      const isTaken = body.name !== undefined && rows.credentials.some(({ name }) => name === body.name)
      if (isTaken && service.chose('E8-name-once')) throw new Refused(409, { error: { code: 'taken', text: 'Taken.' } })
      if (!('token' in (body.credential_json ?? {}))) checkKeys(service)
      const now = service.now()
      const credential: Credential = {
        id: await newId(),
        user: service.broken('E8-owner') ? (rows.users[0]?.id as string) : user.id,
        name: body.name ?? null,
        source: service.broken('E8-source') ? 'web' : (body.source ?? 'not_applicable'),
        secret: body.credential_json ?? {},
        admin_public: service.broken('E8-public') || (body.admin_public ?? true),
        curator_public: body.curator_public ?? service.broken('E8-curator-default'),
        groups: body.groups ?? [],
        created: now,
        updated: now
      }
      if (!service.broken('E8-lost')) rows.credentials.push(credential)
      if (service.broken('E8-twice')) rows.credentials.push({ ...credential, id: service.nextId() })
      const id = service.broken('E8-id') ? credential.id + 100_000 : credential.id
      return { id, credential: snapshotOf(service, credential, 'E8-secret') }
    }
  })

  door.add({
    id: 'E9',
    method: 'GET',
    url: '/api/manage/credential/:credential_id',
    path: { credential_id: kinds.pathInteger },
    answer({ user, path: { credential_id } }) {
      const credential = readable(service, rows, credential_id, user)
      if (!credential && service.chose('E9-status')) {
        return { success: false, message: 'There is no such credential.', data: credential_id }
      }
      if (!credential) throw notFound('credential')
      return snapshotOf(service, credential, 'E9-secret')
    }
  })
}
