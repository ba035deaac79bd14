import type { Rows, StatusResponse } from '../../types.gen.js'
import { firstAttempt } from '../connectors/attempts.js'
import { canEditPair, visibleCredential } from '../credentials/credential-access.js'
import {
  type Context,
  isKnown,
  missing,
  newId,
  notEditable,
  nothingLeft,
  Refusal,
  type Rule,
  statusResponse
} from '../rule.js'
import { removePair } from './removal.js'

interface PairIds {
  connector_id: number
  credential_id: number
}

/** E13: creates the association only if there is none, and schedules its first indexing attempt. */
export const linkCredential: Rule<'linkCredential'> = ({ path, body }, context) => {
  const { rows } = context
  const { connector_id, credential_id } = path
  const { name, access_type, groups, auto_sync_options, ...rest } = body
  nothingLeft(rest)
  checkEnds(context, path)
  checkSources(context, path)
  const old = pairOf(context, path)
  if (old) {
    const success = context.assume('pairing.repeated') === 'successful'
    return status(context, success, `Connector ${connector_id} already has Credential ${credential_id}`, old, true)
  }
  checkName(context, name)
  const pair = rows.connectorCredentials.put({
    id: newId(context, 'connectorCredentials'),
    connector_id,
    credential_id,
    name: name ?? null,
    access_type: access_type ?? context.assume('pairing.access-type'),
    status: 'SCHEDULED',
    groups: groups ?? [],
    auto_sync_options: auto_sync_options ?? null,
    docs_indexed: 0,
    last_success: null,
    in_repeated_error_state: false
  })
  if (context.assume('pairing.first-attempt') === 'scheduled') rows.indexAttempts.put(firstAttempt(context, pair))
  const message = `Creating new association between Connector ${connector_id} and Credential ${credential_id}`
  return status(context, true, message, pair)
}

/** E14: not every user who sees an association may end it. */
export const unlinkCredential: Rule<'unlinkCredential'> = ({ path }, context) => {
  const { connector_id, credential_id } = path
  checkEnds(context, path)
  const data = context.assume('pairing.removed-data') === 'connector' ? connector_id : credential_id
  const pair = pairOf(context, path)
  if (pair) {
    if (!canEditPair(context, pair)) throw notEditable(pair, true, path)
    removePair(context, pair)
    return statusResponse(context, true, `Credential ${credential_id} removed from Connector`, data)
  }
  if (context.assume('pairing.absent') === '404') throw new Refusal('not-associated', { credential_id })
  return statusResponse(context, false, `Connector already does not have Credential ${credential_id}`, data)
}

/** Both must exist, and the caller must see the credential. */
function checkEnds(context: Context, { connector_id, credential_id }: PairIds): void {
  const connector = context.rows.connectors.get(connector_id)
  if (!connector || !isKnown(context, connector))
    throw missing(undefined, { kind: 'Connector', id: connector_id, whose: '' })
  visibleCredential(context, credential_id)
}

/** Whether the credential's source may differ from the connector's. */
function checkSources(context: Context, { connector_id, credential_id }: PairIds): void {
  const connector = context.rows.connectors.get(connector_id)?.source
  const credential = context.rows.credentials.get(credential_id)?.source
  if (connector === credential || context.assume('pairing.sources') === 'any') return
  throw new Refusal('other-source', { connector, credential })
}

/** Whether the name may be used twice. */
function checkName(context: Context, name: string | null | undefined): void {
  if (!name || context.assume('pairing.names') === 'any') return
  for (const other of context.rows.connectorCredentials.all()) {
    if (other.name === name) throw new Refusal('taken-name', { name })
  }
}

function pairOf({ rows }: Context, { connector_id, credential_id }: PairIds): Rows['connectorCredentials'] | undefined {
  return [...rows.connectorCredentials.where('byConnector', connector_id)].find(
    (it) => it.credential_id === credential_id
  )
}

function status(
  context: Context,
  success: boolean,
  message: string,
  pair: Rows['connectorCredentials'],
  isRepeated = false
): StatusResponse {
  const choice = context.assume('pairing.data')
  const isAssociation = choice === 'association' || (choice === 'connector-when-repeated' && !isRepeated)
  return statusResponse(context, success, message, isAssociation ? pair.id : pair.connector_id)
}
