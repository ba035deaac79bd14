import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import { type Probe, seen, statusOf } from '../probe.js'
import type { Opened } from '../sandboxes.js'

const privateKey = '/api/manage/admin/credential/private-key/1'

interface Listed {
  id: number
}

export const credentialProbes: Record<string, Probe> = {
  'credential.masking': async ({ call }) => (await call('GET', '/api/manage/credential/1')).body.credential_json,

  'credential.groups': async ({ call }) => {
    const body = { credential_json: {}, admin_public: false, source: 'web', groups: [7] }
    return (await call('POST', '/api/manage/credential', { body })).body.credential.groups
  },

  'credential.sharing': ({ call }) =>
    statusOf(
      call('POST', '/api/manage/credential', {
        as: 'basic',
        body: { credential_json: {}, admin_public: true, source: 'web' }
      })
    ),

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

  'credential.visibility': ({ call, sandbox: { rows } }) => {
    const row = rows.credentials.get(1) as Rows['credentials']
    rows.credentials.put({ ...row, user_id: userOf(rows, 'basic'), admin_public: false })
    return seen(call('GET', '/api/manage/credential/1'))
  },

  'credential.curator-list': async ({ call }) =>
    (await call('GET', '/api/manage/admin/credential', { as: 'curator' })).body.map(({ id }: Listed) => id),

  'credential.merge': async (on) => Object.keys((await replaced(on)).credential_json),

  'credential.file-encoding': async (on) => (await replaced(on)).credential_json.private_key,

  'credential.new-owner': async (on) => (await replaced(on)).user_id,

  'credential.editable-query': async ({ call }) => {
    const { body } = await call('GET', '/api/manage/admin/similar-credentials/web?get_editable=true', { as: 'curator' })
    return body.map(({ id }: Listed) => id)
  },

  'ids.new': async ({ call, sandbox: { rows } }) => {
    const body = { credential_json: {}, admin_public: false, source: 'web' }
    const first = await call('POST', '/api/manage/credential', { body })
    rows.credentials.remove(first.body.id)
    return (await call('POST', '/api/manage/credential', { body })).body.id - first.body.id
  },

  'credential.private-key': ({ call }) => statusOf(call('PUT', privateKey, { form: keyForm() }))
}

function keyForm(): FormData {
  const form = new FormData()
  form.append('credential_json', '{}')
  form.append('uploaded_file', new Blob(['a key']), 'key.pem')
  form.append('field_key', 'private_key')
  form.append('type_definition_key', 'pem')
  return form
}

/** A credential without an owner, after the administrator has given it a key. */
async function replaced({ call, sandbox: { rows } }: Opened): Promise<Rows['credentials']> {
  const row = rows.credentials.get(1) as Rows['credentials']
  rows.credentials.put({ ...row, user_id: null, credential_json: { api_token: 'stored' } })
  await call('PUT', privateKey, { form: keyForm() })
  return rows.credentials.get(1) as Rows['credentials']
}

function userOf(rows: Opened['sandbox']['rows'], key: string): string | null {
  return rows.users.first('byKey', key)?.id ?? null
}
