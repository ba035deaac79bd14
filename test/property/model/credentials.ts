import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import { done, type Model, missing, type Predict, readOnly } from './model.js'

type Credential = Rows['credentials']
type Pair = Rows['connectorCredentials']
type User = Rows['users']

const createCredential: Predict = ({ body }, model, user) => {
  const made = (id: number): Credential => ({
    name: null,
    ...body,
    id,
    curator_public: body.curator_public ?? false,
    groups: body.groups ?? [],
    user_id: user.id,
    time_created: model.moment,
    time_updated: model.moment
  })
  return done(
    ({ id, credential }: { id: number; credential: unknown }) =>
      model.isFresh('credentials', id) && [credential, snapshot(model, made(id))],
    ({ id }) => model.add('credentials', made(id))
  )
}

const getCredential: Predict = ({ path }, model, user) => {
  const row = model.find('credentials', path.credential_id)
  if (row && canSee(user, row)) return done(snapshot(model, row))
  const message = `Credential ${path.credential_id} does not exist or does not belong to user`
  return done({ success: false, message, data: path.credential_id })
}

const listCredentials: Predict = (_, model, user) => {
  return done(model.all('credentials', (it) => it.admin_public && canSee(user, it)).map((it) => snapshot(model, it)))
}

const listSimilarCredentials: Predict = ({ path, query }, model, user) => {
  const wanted = query.get_editable === 'true' ? canEdit : canSee
  const rows = model.all('credentials', (it) => it.source === path.source_type && wanted(user, it))
  return done(rows.map((it) => snapshot(model, it)))
}

const replacePrivateKey: Predict = ({ path, form = [] }, model, user) => {
  const field = Object.fromEntries(form) as Record<string, string> & { uploaded_file: { text: string } }
  let given: unknown
  try {
    given = JSON.parse(field.credential_json as string)
  } catch {}
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return { status: 422 }
  const row = model.find('credentials', path.credential_id)
  if (!row || !canEdit(user, row)) return row && canSee(user, row) ? readOnly : missing
  const key = { [field.field_key as string]: Buffer.from(field.uploaded_file.text).toString('base64') }
  const changed = {
    ...row,
    credential_json: { ...row.credential_json, ...given, ...key },
    name: field.name || row.name,
    user_id: user.id,
    time_updated: model.moment
  }
  const { admin_public, source, curator_public, groups, name } = changed
  const credential_json = masked(changed.credential_json)
  return done({ credential_json, admin_public, source, name, curator_public, groups }, () =>
    model.add('credentials', changed)
  )
}

const linkCredential: Predict = ({ path, body }, model, user) => {
  const [connector, credential] = ends(model, user, path)
  if (!connector || !credential) return missing
  const old = pairOf(model, connector.id, credential.id)
  if (old) {
    const message = `Connector ${connector.id} already has Credential ${credential.id}`
    return done({ success: false, message, data: old.id })
  }
  const message = `Creating new association between Connector ${connector.id} and Credential ${credential.id}`
  return done(
    ({ data, ...rest }: { data: number }) =>
      model.isFresh('connectorCredentials', data) && [rest, { success: true, message }],
    ({ data }) => addPair(model, data, connector.id, credential.id, body)
  )
}

const unlinkCredential: Predict = ({ path }, model, user) => {
  const [connector, credential] = ends(model, user, path)
  if (!connector || !credential) return missing
  const pair = pairOf(model, connector.id, credential.id)
  const data = connector.id
  if (pair && !canEditPair(user, credential)) return readOnly
  if (!pair) {
    return done({ success: false, message: `Connector already does not have Credential ${credential.id}`, data })
  }
  return done({ success: true, message: `Credential ${credential.id} removed from Connector`, data }, () =>
    dropPair(model, pair)
  )
}

const getConnector: Predict = ({ path }, model) => {
  const row = model.find('connectors', path.connector_id)
  if (!row) {
    const message = `Connector ${path.connector_id} does not exist`
    return done({ success: false, message, data: path.connector_id })
  }
  const ids = model.all('connectorCredentials', (it) => it.connector_id === row.id).map((it) => it.credential_id)
  return done({ ...row, credential_ids: ids.sort((a, b) => a - b) })
}

export const credentials = {
  createCredential,
  getCredential,
  listCredentials,
  listSimilarCredentials,
  replacePrivateKey,
  linkCredential,
  unlinkCredential,
  getConnector
}

export function isCurator({ role }: User): boolean {
  return role === 'curator' || role === 'global_curator'
}

/** Whether a user may change the association of a credential. */
export function canEditPair(user: User, credential: Credential | undefined): boolean {
  return user.role === 'admin' || credential?.user_id === user.id || (isCurator(user) && credential?.user_id === null)
}

export function dropPair(model: Model, pair: Pair): void {
  model.remove('connectorCredentials', [pair])
  model.remove(
    'indexAttempts',
    model.all('indexAttempts', (it) => it.connector_credential_id === pair.id)
  )
  for (const set of model.all('documentSets')) set.cc_pair_ids = set.cc_pair_ids.filter((id) => id !== pair.id)
}

/** With an attempt that starts in two seconds and succeeds after ten; the mock decides how much it finds. */
function addPair(
  model: Model,
  id: number,
  connector_id: number,
  credential_id: number,
  body: Partial<Pair> & { access_type?: Pair['access_type'] | null }
): void {
  model.add('connectorCredentials', {
    id,
    connector_id,
    credential_id,
    name: body.name ?? null,
    access_type: body.access_type ?? 'public',
    status: 'SCHEDULED',
    groups: body.groups ?? [],
    auto_sync_options: body.auto_sync_options ?? null,
    docs_indexed: 0,
    last_success: null,
    in_repeated_error_state: false
  })
  model.add('indexAttempts', {
    id: 1_000_000 + id,
    connector_credential_id: id,
    secondary_index: false,
    time_created: model.moment,
    starts_at: new Date(model.now + 2000).toISOString(),
    settles_at: new Date(model.now + 10_000).toISOString(),
    settles_as: 'success',
    docs_indexed: Number.NaN
  })
}

function canSee(user: User, { user_id, admin_public, curator_public }: Credential): boolean {
  if (user_id === user.id) return true
  return (user.role === 'admin' && (user_id === null || admin_public)) || (isCurator(user) && curator_public)
}

function canEdit(user: User, row: Credential): boolean {
  return row.user_id === user.id || (user.role === 'admin' && canSee(user, row))
}

function ends(model: Model, user: User, path: Record<string, unknown>) {
  const credential = model.find('credentials', path.credential_id)
  const visible = credential && canSee(user, credential) ? credential : undefined
  return [model.find('connectors', path.connector_id), visible] as const
}

function pairOf(model: Model, connector: number, credential: number): Pair | undefined {
  return model.all('connectorCredentials', (it) => it.connector_id === connector && it.credential_id === credential)[0]
}

function snapshot(model: Model, row: Credential) {
  const user_email = model.find('users', row.user_id)?.email ?? null
  return { ...row, credential_json: masked(row.credential_json), user_email }
}

function masked(json: object): Record<string, unknown> {
  const plain = ['authentication_method', 'wiki_base', 'cloud_name', 'cloud_id']
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [key, plain.includes(key) ? value : mask(value)])
  )
}

function mask(value: unknown): unknown {
  if (typeof value === 'number') return '*****'
  if (typeof value === 'string') return value.length < 14 ? '••••••••••••' : `${value.slice(0, 4)}...${value.slice(-4)}`
  if (Array.isArray(value)) return value.map(mask)
  return value && typeof value === 'object' ? masked(value) : value
}
