import { z } from 'zod'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { invalid, notFound } from '../refused.js'
import { baseOf, snapshotOf } from './secrets.js'

/** E10 to E12: credentials as administrators see them. */
export function addAdminCredentials(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)

  door.add({
    id: 'E10',
    method: 'GET',
    url: '/api/manage/admin/credential',
    answer() {
      const shown = rows.credentials.filter((it) => it.admin_public || service.broken('E10-all'))
      if (service.broken('E10-some')) shown.pop()
      if (service.broken('E10-twice')) shown.push(...shown)
      return shown.map((it) => snapshotOf(service, it, 'E10-secret'))
    }
  })

  door.add({
    id: 'E11',
    method: 'GET',
    url: '/api/manage/admin/similar-credentials/:source_type',
    path: { source_type: kinds.source },
    query: { only_editable: z.enum(['true', 'false']).optional() },
    answer({ user, path: { source_type }, query: { only_editable } }) {
      if (service.broken('E11-nothing')) return []
      return rows.credentials
        .filter((it) => it.source === source_type || service.broken('E11-other-sources'))
        .filter((it) => only_editable !== 'true' || it.user === user.id)
        .map((it) => snapshotOf(service, it, 'E11-secret'))
    }
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
      const found = rows.credentials.find((it) => it.id === credential_id)
      if (!found) throw notFound('credential')
      const sent = body.credential_json ?? '{}'
      const secret = service.broken('E12-text') ? JSON.parse(sent) : objectIn(sent)
      const before = service.chose('E12-merges') ? found.secret : {}
      const { uploaded_file: file } = body
      const bytes = file instanceof File ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0)
      const credential = service.broken('E12-lost') ? { ...found } : found
      Object.assign(credential, {
        name: service.broken('E12-name') ? credential.name : (body.name ?? credential.name),
        secret: { ...before, ...secret, [body.field_key ?? 'private_key']: bytes.toString('base64') },
        updated: service.now()
      })
      if (service.broken('E12-source')) credential.source = 'file'
      if (service.broken('E12-public')) credential.admin_public = false
      if (service.broken('E12-all-of-source')) {
        for (const it of rows.credentials) if (it.source === credential.source) it.name = body.name
      }
      return baseOf(service, credential, 'E12-secret')
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
