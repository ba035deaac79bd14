import type {
  ConnectorIndexingStatus,
  DocumentSource,
  FederatedConnectorStatus,
  IndexingStatusGroup,
  Operations
} from '../../types.gen.js'
import { type Context, inOrder, isKnown, type Rule } from '../rule.js'
import { Section, type Traits } from './board.js'
import { boardFor } from './board-cache.js'
import { statusOf } from './indexing-status.js'
import { attemptsOf } from './refreshes.js'

type Filter = Operations['getIndexingStatus']['input']['body']

const pageSize = 10

/** E16: a group per source. Each has editable pairs, then others, newest first, and then federated connectors. */
export const getIndexingStatus: Rule<'getIndexingStatus'> = ({ body }, context) => {
  const source = wantedSource(context, body)
  const sections = matches(context, body, source)
  const others = federated(context, body, source)
  const sources = [...new Set([...sections.keys(), ...others.keys()])].sort()
  const groups = sources.flatMap((source) => {
    const section = sections.get(source) ?? new Section([])
    return groupOf(context, source, section, others.get(source) ?? [], body) ?? []
  })
  return inOrder(context, groups)
}

/** The pairs that match every given filter, by source. A list matches by any of its values. */
function matches(context: Context, body: Filter, source: DocumentSource | undefined): Map<DocumentSource, Section> {
  const { access_type_filters: access, last_status_filters: statuses, name_filter } = body
  let board = boardFor(context, isSecondary(context, body))
  const hasCount = docsFilter(context, body)
  if (hasCount) board = board.filter((status) => hasCount(status.docs_indexed))
  if (name_filter) board = board.filter(nameFilter(context, name_filter))
  const sections = board.sections(
    ({ access_type, last_status }: Traits) =>
      (!access?.length || access.includes(access_type)) &&
      (!statuses?.length || (last_status ? statuses.includes(last_status) : false))
  )
  const section = source && sections.get(source)
  return source ? new Map(section ? [[source, section]] : []) : sections
}

/** The only source in the report. Undefined: all. */
function wantedSource(context: Context, { source }: Filter): DocumentSource | undefined {
  return source && context.assume('indexing.source') === 'accepted' ? source : undefined
}

/** Whether the request asks for the attempts on the secondary index. */
function isSecondary(context: Context, { secondary_index }: Filter): boolean {
  return secondary_index === true && context.assume('indexing.secondary') === 'its-attempts'
}

/** The comparison that the request asks for, if any. */
function docsFilter(context: Context, body: Filter): ((docs: number) => boolean) | undefined {
  const value = body.docs_count_value
  if (typeof value !== 'number') return undefined
  switch (operatorOf(context, body)) {
    case '>':
      return (docs) => docs > value
    case '<':
      return (docs) => docs < value
    case '=':
      return (docs) => docs === value
    default:
      return undefined
  }
}

function operatorOf(context: Context, body: Filter): unknown {
  const operator = (body as Record<string, unknown>)[context.assume('indexing.operator-name')]
  return operator ?? (context.assume('indexing.filters') === 'value-alone' ? '=' : undefined)
}

function nameFilter(context: Context, filter: string): (item: { name?: string | null }) => boolean {
  if (context.assume('indexing.name-filter') === 'whole') return ({ name }) => name === filter
  const text = filter.toLowerCase()
  return ({ name }) => name?.toLowerCase().includes(text) ?? false
}

/** The federated connectors of all document sets by source, without duplicates. */
function federated(
  context: Context,
  body: Filter,
  only: DocumentSource | undefined
): Map<DocumentSource, FederatedConnectorStatus[]> {
  const { name_filter } = body
  const byId = new Map<number, FederatedConnectorStatus>()
  for (const set of context.rows.documentSets.where('federated', true)) {
    for (const { id, name, source } of set.federated_connector_summaries) byId.set(id, { id, name, source })
  }
  const hasName = name_filter ? nameFilter(context, name_filter) : () => true
  const bySource = new Map<DocumentSource, FederatedConnectorStatus[]>()
  for (const item of [...byId.values()].sort((a, b) => a.id - b.id)) {
    const source = item.source.replace(/^federated_/, '') as DocumentSource
    if (!isKnown(context, { source }) || !hasName(item)) continue
    const meetsOthers = !hasOtherFilter(context, body) && (only === undefined || only === source)
    if (!meetsOthers && context.assume('indexing.federated-filters') === 'every') continue
    bySource.set(source, [...(bySource.get(source) ?? []), item])
  }
  return bySource.size > 0 && context.assume('indexing.federated') === 'omitted' ? new Map() : bySource
}

/** Whether a filter excludes federated connectors: they have no access type, status or documents. */
function hasOtherFilter(context: Context, body: Filter): boolean {
  const { access_type_filters, last_status_filters } = body
  const lists = [access_type_filters, last_status_filters]
  return lists.some((list) => list?.length) || docsFilter(context, body) !== undefined
}

/** One page of a source; undefined if it is empty and empty pages are left out. */
function groupOf(
  context: Context,
  source: DocumentSource,
  section: Section,
  others: FederatedConnectorStatus[],
  body: Filter
): IndexingStatusGroup | undefined {
  const pages = body.source_to_page ?? {}
  const current_page = Object.hasOwn(pages, source) ? (pages[source] as number) : 1
  const pairs = section.count()
  const total_connectors = pairs + others.length
  const total_pages = Math.ceil(total_connectors / pageSize)
  let [from, to] = [0, total_connectors]
  if (!body.get_all_connectors && (total_pages > 1 || current_page !== 1)) {
    from = Math.min(total_connectors, (current_page - 1) * pageSize)
    to = current_page < 1 ? from : Math.min(total_connectors, from + pageSize)
    if (context.assume('indexing.paging') === 'omit-empty' && from >= to) return undefined
  }
  const shown = section.slice(from, to)
  const shownOthers = others.slice(Math.max(0, from - pairs), Math.max(0, to - pairs))
  return {
    source,
    summary: summaryOf(
      context,
      countedOf(context, source, body, { section, others }, { pairs: shown, others: shownOthers })
    ),
    current_page,
    total_pages,
    indexing_statuses: inOrder<IndexingStatusGroup['indexing_statuses'][number]>(context, [
      ...shown.map((status) => upToDate(context, status, isSecondary(context, body))),
      ...shownOthers
    ])
  }
}

interface SummaryRows {
  section: Section
  others: FederatedConnectorStatus[]
}

/** What the summary of a source counts: all matches, the page, or the source without filters. */
function countedOf(
  context: Context,
  source: DocumentSource,
  body: Filter,
  matching: SummaryRows,
  page: { pairs: ConnectorIndexingStatus[]; others: FederatedConnectorStatus[] }
): SummaryRows {
  const isPart = page.pairs.length + page.others.length < matching.section.count() + matching.others.length
  if (!isPart && !body.name_filter && !hasOtherFilter(context, body)) return matching
  switch (context.assume('indexing.summary')) {
    case 'found':
      return matching
    case 'page':
      return { section: Section.of(page.pairs), others: page.others }
    case 'source': {
      const all = { secondary_index: body.secondary_index ?? false }
      const section = matches(context, all, undefined).get(source) ?? new Section([])
      return { section, others: federated(context, all, undefined).get(source) ?? [] }
    }
  }
}

function summaryOf(context: Context, { section, others }: SummaryRows): IndexingStatusGroup['summary'] {
  return {
    total_connectors: section.count() + others.length,
    active_connectors: section.count((traits) => isActive(context, traits)),
    public_connectors: section.count(({ access_type }) => access_type === 'public'),
    total_docs_indexed: section.docs
  }
}

function isActive(context: Context, { cc_pair_status: status }: Traits): boolean {
  const isComing = status === 'SCHEDULED' || status === 'INITIAL_INDEXING'
  return status === 'ACTIVE' || (isComing && context.assume('indexing.active') === 'not-stopped')
}

/** A pair of the board with current values. The board does not know the progress of a running attempt. */
function upToDate(context: Context, status: ConnectorIndexingStatus, isSecondary: boolean): ConnectorIndexingStatus {
  const { connectorCredentials } = context.rows
  const pair = connectorCredentials.get(status.cc_pair_id)
  if (!status.in_progress || !pair) return status
  return statusOf(context, pair, attemptsOf(context, pair), isSecondary) ?? status
}
