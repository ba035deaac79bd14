import type {
  ConnectorIndexingStatus,
  DocumentSource,
  FederatedConnectorStatus,
  IndexingStatusGroup,
  Operations,
  Rows
} from '../contract/types.gen.js'
import { attemptDocs, attemptStatus, attemptsByPair, isFinished, pairAt } from './attempts.js'
import { canEditPair } from './credential-access.js'
import type { Context, Rule } from './rule.js'
import { isKnown } from './sources.js'

type Filter = Operations['getIndexingStatus']['input']['body']
type Item = ConnectorIndexingStatus | FederatedConnectorStatus

const pageSize = 10
/** The pair that takes what is ingested without a connector. */
const internalPair = 'DefaultCCPair'

/** E16: a group per source; in it editable pairs, then others, each the newest first, then federated connectors. */
export const getIndexingStatus: Rule<'getIndexingStatus'> = ({ body }, context) => {
  const groups = new Map<DocumentSource, Item[]>()
  const add = (source: DocumentSource, item: Item) => {
    const group = groups.get(source)
    if (group) group.push(item)
    else groups.set(source, [item])
  }
  const attempts = attemptsByPair(context)
  const isWanted = passes(context, body)
  const others: ConnectorIndexingStatus[] = []
  for (const pair of [...context.rows.connectorCredentials.all()].reverse()) {
    const item = statusOf(context, pair, attempts.get(pair.id) ?? [], body)
    if (!item || !isWanted(item)) continue
    if (item.is_editable) add(item.source, item)
    else others.push(item)
  }
  for (const item of others) add(item.source, item)
  for (const item of federated(context, body)) add(sourceOf(item), item)
  return [...groups.keys()]
    .sort()
    .flatMap((source) => groupOf(context, source, groups.get(source) as Item[], body) ?? [])
}

/** A pair as this operation reports it (2.10); nothing if the caller may not see it. */
function statusOf(
  context: Context,
  row: Rows['connectorCredentials'],
  attempts: readonly Rows['indexAttempts'][],
  body: Filter
): ConnectorIndexingStatus | undefined {
  const { rows } = context
  const connector = rows.connectors.get(row.connector_id)
  if (!connector || !isKnown(context, connector) || row.name === internalPair) return undefined
  const is_editable = canEditPair(context, row)
  if (!is_editable && row.access_type === 'private') return undefined
  const isSecondary = body.secondary_index ?? false
  const ofIndex = attempts.filter((attempt) => attempt.secondary_index === isSecondary)
  const last = ofIndex[0] ? attemptStatus(context, ofIndex[0]) : null
  const finished = ofIndex.find((attempt) => isFinished(attemptStatus(context, attempt)))
  const pair = pairAt(context, row, attempts)
  return {
    cc_pair_id: row.id,
    name: row.name,
    source: connector.source,
    access_type: row.access_type,
    cc_pair_status: pair.status,
    in_progress: last === 'in_progress',
    in_repeated_error_state: pair.in_repeated_error_state,
    last_finished_status: finished ? attemptStatus(context, finished) : null,
    last_status: last,
    last_success: pair.last_success,
    is_editable,
    docs_indexed: pair.docs_indexed,
    latest_index_attempt_docs_indexed: ofIndex[0] ? attemptDocs(context, ofIndex[0]) : null
  }
}

/** Every filter that is given must be met; a list is met by any of its values. */
function passes(context: Context, body: Filter): (item: ConnectorIndexingStatus) => boolean {
  const { access_type_filters: access, last_status_filters: statuses } = body
  const counts = docsFilter(context, body)
  return (item) =>
    (!access?.length || access.includes(item.access_type)) &&
    (!statuses?.length || (item.last_status !== null && statuses.includes(item.last_status))) &&
    hasName(item, body) &&
    counts(item.docs_indexed)
}

/** Counts only where both operator and value are given. */
function docsFilter(context: Context, body: Filter): (docs: number) => boolean {
  const value = body.docs_count_value
  if (typeof value !== 'number') return () => true
  switch ((body as Record<string, unknown>)[context.assume('indexing.operator-name')]) {
    case '>':
      return (docs) => docs > value
    case '<':
      return (docs) => docs < value
    case '=':
      return (docs) => docs === value
    default:
      return () => true
  }
}

function hasName({ name }: Item, { name_filter }: Filter): boolean {
  return !name_filter || (name?.toLowerCase().includes(name_filter.toLowerCase()) ?? false)
}

/** The federated connectors of all document sets, each once. Only the filter by name concerns them. */
function federated(context: Context, body: Filter): FederatedConnectorStatus[] {
  const found = new Map<number, FederatedConnectorStatus>()
  for (const set of context.rows.documentSets.all()) {
    for (const { id, name, source } of set.federated_connector_summaries) found.set(id, { id, name, source })
  }
  const items = [...found.values()].filter(
    (item) => isKnown(context, { source: sourceOf(item) }) && hasName(item, body)
  )
  if (items.length === 0 || context.assume('indexing.federated') === 'omitted') return []
  return items.sort((a, b) => a.id - b.id)
}

function sourceOf(item: FederatedConnectorStatus): DocumentSource {
  return item.source.replace(/^federated_/, '') as DocumentSource
}

/** One page of a source; nothing if that page is empty and such pages are left out. */
function groupOf(
  context: Context,
  source: DocumentSource,
  items: Item[],
  body: Filter
): IndexingStatusGroup | undefined {
  const pages = body.source_to_page ?? {}
  const current_page = Object.hasOwn(pages, source) ? (pages[source] as number) : 1
  const total_pages = Math.ceil(items.length / pageSize)
  let shown = items
  if (!body.get_all_connectors && (total_pages > 1 || current_page !== 1)) {
    const start = (current_page - 1) * pageSize
    shown = current_page < 1 ? [] : items.slice(start, start + pageSize)
    if (context.assume('indexing.paging') === 'omit-empty' && shown.length === 0) return undefined
  }
  const pairs = items.filter((item) => 'cc_pair_id' in item)
  return {
    source,
    summary: {
      total_connectors: items.length,
      active_connectors: pairs.filter((pair) => pair.cc_pair_status === 'ACTIVE').length,
      public_connectors: pairs.filter((pair) => pair.access_type === 'public').length,
      total_docs_indexed: pairs.reduce((sum, pair) => sum + pair.docs_indexed, 0)
    },
    current_page,
    total_pages,
    indexing_statuses: shown
  }
}
