import type { Rows } from '../../types.gen.js'
import { type Context, changesAll, isCurator, isKnown, missing, notYours } from '../rule.js'

type Credential = Rows['credentials']

/** Sources whose credentials contain no secrets. */
const openSources: ReadonlySet<string> = new Set([
  'file',
  'web',
  'not_applicable',
  'google_sites',
  'wikipedia',
  'mediawiki'
])

/** The credential of this id, if the contract in force knows its source. */
export function findCredential(context: Context, id: number): Credential | undefined {
  const row = context.rows.credentials.get(id)
  return row && isKnown(context, row) ? row : undefined
}

/** A credential that the caller may see, or a refusal. */
export function visibleCredential(context: Context, id: number): Credential {
  const row = findCredential(context, id)
  if (!row || !canSee(context, row)) throw missing(row, { kind: 'Credential', id, whose: notYours })
  return row
}

/**
 * Users see their own credentials. Administrators also see all others, or only public ones and those without an owner,
 * depending on the choice. Curators also see curator_public ones (section 5.2).
 */
export function canSee(context: Context, row: Credential): boolean {
  const { user } = context
  if (row.user_id === user.id) return true
  if (user.role === 'admin' && (row.user_id === null || row.admin_public || seesAll(context))) return true
  if (isCurator(user) && row.curator_public) return true
  if (!openSources.has(row.source) || (user.role !== 'admin' && !isCurator(user))) return false
  return context.assume('credential.open-sources') === 'open'
}

/** All credentials that the caller might see, in the order of their ids. It reads no others. */
export function reachableCredentials(context: Context): Credential[] {
  const {
    user,
    rows: { credentials }
  } = context
  if (user.role === 'admin' && seesAll(context)) return [...credentials.all()]
  const result = new Set(credentials.where('byUser', user.id))
  const add = (rows: Iterable<Credential>) => {
    for (const row of rows) result.add(row)
  }
  if (user.role === 'admin') {
    add(credentials.where('ofNobody', true))
    add(credentials.where('ofAdmins', true))
  }
  if (isCurator(user)) add(credentials.where('ofCurators', true))
  if (user.role === 'admin' || isCurator(user)) {
    for (const source of openSources) add(credentials.where('bySource', source))
  }
  return [...result].sort((a, b) => a.id - b.id)
}

/** The caller may edit its own credentials, and those of others that it may see and change. */
export function canEdit(context: Context, row: Credential): boolean {
  return row.user_id === context.user.id || (canSee(context, row) && changesAll(context))
}

/** Whether the caller may edit a pair with this credential. Curators may also if the credential has no owner. */
export function canEditPair(context: Context, { credential_id }: Rows['connectorCredentials']): boolean {
  const { user, rows } = context
  const owner = rows.credentials.get(credential_id)?.user_id
  return owner === user.id || changesAll(context) || (isCurator(user) && owner === null)
}

function seesAll(context: Context): boolean {
  return context.assume('credential.visibility') === 'admins-see-all'
}
