import type { CredentialJson, CredentialSnapshot, Rows } from '../../types.gen.js'
import { linkCredential, unlinkCredential } from '../indexing/link-credential.js'
import {
  type Context,
  inOrder,
  isCurator,
  isKnown,
  missing,
  newId,
  notEditable,
  nothingLeft,
  Refusal,
  type Rules,
  statusResponse
} from '../rule.js'
import { canEdit, canSee, findCredential, reachableCredentials } from './credential-access.js'
import { withKeyFile } from './private-key.js'

const unmasked = new Set(['authentication_method', 'wiki_base', 'cloud_name', 'cloud_id'])
const shortest = 14
const ends = 4
const bullets = '•'.repeat(12)

/** The values of a credential as replies show them (2.4). */
function shownSecrets(context: Context, json: CredentialJson): CredentialJson {
  return context.assume('credential.masking') === 'masked' ? maskObject(json) : json
}

function maskObject(json: object): CredentialJson {
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, unmasked.has(key) ? value : mask(value)]))
}

function mask(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value)
  if (typeof value === 'number') return '*****'
  if (Array.isArray(value)) return value.map(mask)
  return typeof value === 'object' && value !== null ? maskObject(value) : value
}

/** Counts characters, because one may take two UTF-16 units. It reads only the ends, because a text may have many megabytes. */
function maskText(text: string): string {
  if ([...text.slice(0, 2 * shortest)].length < shortest) return bullets
  const first = [...text.slice(0, 2 * ends)].slice(0, ends).join('')
  const last = [...text.slice(-2 * ends)].slice(-ends).join('')
  return `${first}...${last}`
}

/** Credentials: E8 to E14. */
export const credentialRules: Rules<'credentials'> = {
  /** E8 */
  createCredential({ body }, context) {
    const { rows, user, now } = context
    const { credential_json, admin_public, source, name, curator_public, groups, ...rest } = body
    nothingLeft(rest)
    if ((admin_public || curator_public) && !mayShare(context)) throw new Refusal('not-shared')
    const row: Rows['credentials'] = {
      id: newId(context, 'credentials'),
      credential_json,
      admin_public,
      source,
      name: name ?? null,
      curator_public: curator_public ?? false,
      groups: groups ?? [],
      user_id: user.id,
      time_created: now,
      time_updated: now
    }
    const reply = { id: row.id, credential: snapshot(context, row) }
    rows.credentials.put(row)
    return reply
  },

  /** E9 */
  getCredential({ path: { credential_id } }, context) {
    const row = findCredential(context, credential_id)
    if (row && canSee(context, row)) return snapshot(context, row)
    if (context.assume('credential.missing') !== 'status-response') throw missing(row, { credential_id })
    const message = `Credential ${credential_id} does not exist or does not belong to user`
    return statusResponse(context, false, message, credential_id)
  },

  /** E10: only credentials that the caller may see. */
  listCredentials(_input, context) {
    const publicOnly = context.assume('credential.admin-list') === 'admin-public'
    const rows = publicOnly ? context.rows.credentials.where('ofAdmins', true) : reachableCredentials(context)
    const isShown = (row: Rows['credentials']) => canSee(context, row) || (publicOnly && getsAll(context))
    const shown = [...rows].filter((row) => isKnown(context, row) && isShown(row))
    return inOrder(context, shown).map((row) => snapshot(context, row))
  },

  /** E11 */
  listSimilarCredentials({ path, query }, context) {
    const editable = query.get_editable === true && context.assume('credential.editable-query') === 'get_editable'
    const shown = [...context.rows.credentials.where('bySource', path.source_type)].filter((row) =>
      editable ? canEdit(context, row) : canSee(context, row)
    )
    return inOrder(context, shown).map((row) => snapshot(context, row))
  },

  /** E12 */
  replacePrivateKey({ path: { credential_id }, body }, context) {
    const { name: newName, ...form } = body
    const fields = withKeyFile(context, form)
    const row = findCredential(context, credential_id)
    if (!row || !canEdit(context, row)) {
      throw notEditable(row, row !== undefined && canSee(context, row), { credential_id })
    }
    const changed = {
      ...row,
      credential_json: context.assume('credential.merge') === 'merged' ? { ...row.credential_json, ...fields } : fields,
      name: newName ?? row.name,
      user_id: newOwner(context, row),
      time_updated: context.now
    }
    const { admin_public, source, name, curator_public } = changed
    const credential_json = shownSecrets(context, changed.credential_json)
    context.rows.credentials.put(changed)
    return { credential_json, admin_public, source, name, curator_public, groups: groupsOf(context, changed) }
  },

  linkCredential,
  unlinkCredential
}

/** Whether the caller may create a credential that administrators or curators see. */
function mayShare(context: Context): boolean {
  const { user } = context
  return context.assume('credential.sharing') === 'anyone' || user.role === 'admin' || isCurator(user)
}

/** Whether the list of public credentials includes those that the caller sees in no other list. */
function getsAll(context: Context): boolean {
  return isCurator(context.user) && context.assume('credential.curator-list') === 'all'
}

/** The owner of a credential after the caller has given it a key. */
function newOwner(context: Context, { user_id }: Rows['credentials']): string | null {
  if (user_id === context.user.id) return user_id
  return context.assume('credential.new-owner') === 'caller' ? context.user.id : user_id
}

/** A credential as responses show it (2.4). */
function snapshot(context: Context, row: Rows['credentials']): CredentialSnapshot {
  const owner = row.user_id === null ? undefined : context.rows.users.get(row.user_id)
  const credential_json = shownSecrets(context, row.credential_json)
  return { ...row, credential_json, groups: groupsOf(context, row), user_email: owner?.email ?? null }
}

function groupsOf(context: Context, { groups }: Rows['credentials']): number[] {
  return groups.length === 0 || context.assume('credential.groups') === 'stored' ? groups : []
}
