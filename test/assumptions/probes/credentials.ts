import { type Probe, seen, statusOf } from '../probe.js'

interface Listed {
  id: number
}

export const credentialProbes: Record<string, Probe> = {
  'credential.masking': async ({ call }) => (await call('GET', '/api/manage/credential/1')).body.credential_json,

  'credential.missing': ({ call }) => seen(call('GET', '/api/manage/credential/999')),

  'credential.admin-list': async ({ call }) =>
    (await call('GET', '/api/manage/admin/credential')).body.map(({ id }: Listed) => id),

  'credential.open-sources': async ({ call, sandbox: { rows } }) => {
    const admin = rows.users.first('byKey', 'admin')
    const hidden = [...rows.credentials.where('bySource', 'web')].find(
      (it) => it.user_id !== null && it.user_id !== admin?.id && !it.admin_public
    )
    return seen(call('GET', `/api/manage/credential/${hidden?.id}`))
  },

  'credential.editable-query': async ({ call }) => {
    const { body } = await call('GET', '/api/manage/admin/similar-credentials/web?get_editable=true', { as: 'curator' })
    return body.map(({ id }: Listed) => id)
  },

  'credential.private-key': ({ call }) => {
    const form = new FormData()
    form.append('credential_json', '{}')
    form.append('uploaded_file', new Blob(['a key']), 'key.pem')
    form.append('field_key', 'private_key')
    form.append('type_definition_key', 'pem')
    return statusOf(call('PUT', '/api/manage/admin/credential/private-key/1', { form }))
  }
}
