import { z } from 'zod'
import type { Credential, Rows, User } from '../data/rows.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { invalid, notFound } from '../refused.js'

/** No value of a secret is ever shown. */
const masked = (secret: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(secret).map((name) => [name, '********']))

function baseOf(credential: Credential) {
  const { name, source, admin_public, curator_public, groups, secret } = credential
  return { credential_json: masked(secret), admin_public, source, name, curator_public, groups }
}

function snapshotOf(rows: Rows, credential: Credential) {
  const { id, user } = credential
  return {
    ...baseOf(credential),
    id,
    user_id: user,
    user_email: rows.users.find((it) => it.id === user)?.email ?? null,
    time_created: new Date(credential.created).toISOString(),
    time_updated: new Date(credential.updated).toISOString()
  }
}

const isOwn = ({ user }: Credential, caller: User) => user === caller.id || caller.role === 'admin'

export function addCredentials(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)

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
    answer({ user, body }) {
      const now = Date.now()
      const credential: Credential = {
        id: service.nextId(),
        user: user.id,
        name: body.name ?? null,
        source: body.source,
        secret: body.credential_json,
        admin_public: body.admin_public,
        curator_public: body.curator_public ?? false,
        groups: body.groups ?? [],
        created: now,
        updated: now
      }
      rows.credentials.push(credential)
      return { id: credential.id, credential: snapshotOf(rows, credential) }
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
      return snapshotOf(rows, credential)
    }
  })

  door.add({
    id: 'E10',
    method: 'GET',
    url: '/api/manage/admin/credential',
    answer: () => rows.credentials.filter((it) => it.admin_public).map((it) => snapshotOf(rows, it))
  })

  door.add({
    id: 'E11',
    method: 'GET',
    url: '/api/manage/admin/similar-credentials/:source_type',
    path: { source_type: kinds.source },
    query: { only_editable: z.enum(['true', 'false']).optional() },
    answer: ({ user, path: { source_type }, query: { only_editable } }) =>
      rows.credentials
        .filter((it) => it.source === source_type && (only_editable !== 'true' || it.user === user.id))
        .map((it) => snapshotOf(rows, it))
  })

  door.add({
    id: 'E12',
    method: 'PUT',
    url: '/api/manage/admin/credential/private-key/:credential_id',
    path: { credential_id: kinds.pathInteger },
    isForm: true,
    body: {
      name: kinds.text,
      credential_json: kinds.text,
      uploaded_file: z.instanceof(File),
      field_key: kinds.text,
      type_definition_key: kinds.text
    },
    async answer({ path: { credential_id }, body }) {
      const credential = rows.credentials.find((it) => it.id === credential_id)
      if (!credential) throw notFound('credential')
      const secret = objectIn(body.credential_json)
      const bytes = Buffer.from(await body.uploaded_file.arrayBuffer())
      Object.assign(credential, {
        name: body.name,
        secret: { ...secret, [body.field_key]: bytes.toString('base64') },
        updated: Date.now()
      })
      return baseOf(credential)
    }
  })
}

/** The object that a field of a form holds as text. */
function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {}
  throw invalid({ loc: ['body', 'credential_json'], msg: 'The text holds no JSON object.', type: 'not_json' })
}
