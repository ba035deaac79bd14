import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import type { JsonObject } from '../../../src/engine/contract/load.js'
import { canEditPair } from './credentials.js'
import { backwards, done, type Model, type Predict } from './model.js'

type Pair = Rows['connectorCredentials']
type Attempt = Rows['indexAttempts']

interface Item {
  name: string | null
  source: string
  [field: string]: unknown
}

interface Group {
  source: string
  summary: { total_docs_indexed: number }
  current_page: number
  total_pages: number
  indexing_statuses: Item[]
}

const getIndexingStatus: Predict = ({ body }, model, user) => {
  const pairs = model
    .all('connectorCredentials', (it) => it.name !== 'DefaultCCPair')
    .map((pair) => {
      const is_editable = canEditPair(user, model.find('credentials', pair.credential_id))
      return { pair, is_editable, item: statusOf(model, pair, is_editable, body.secondary_index ?? false) }
    })
    .filter(({ pair, is_editable }) => is_editable || pair.access_type !== 'private')
    .sort(
      backwards(
        ({ is_editable }) => Number(is_editable),
        ({ pair }) => pair.id
      )
    )
    .map(({ item }) => item)
    .filter((item) => {
      const { access_type_filters: access, last_status_filters: statuses, name_filter, docs_count_value: value } = body
      if (access?.length && !access.includes(item.access_type)) return false
      if (statuses?.length && !statuses.includes(item.last_status)) return false
      if (!hasName(item, name_filter)) return false
      const docs = item.docs_indexed
      if (typeof value !== 'number' || !body.docs_count_operator) return true
      return { '>': docs > value, '<': docs < value, '=': docs === value }[body.docs_count_operator as '>']
    })
  const summaries = model.all('documentSets').flatMap((set) => set.federated_connector_summaries)
  const federated = new Map(summaries.map(({ entities, ...shown }) => [shown.id, shown]))
  // They have no access type, status or number of documents that could meet a filter.
  const others = hasOther(body) ? [] : [...federated.values()].filter((item) => hasName(item, body.name_filter))
  const items: Item[] = [...pairs, ...others]
  const sources = [...new Set(items.map(({ source }) => source.replace('federated_', '')))].sort()
  const groups = sources.flatMap((source) => groupOf(source, items, body))
  return done((reply: Group[]) => [reply, learned(model, groups, reply)])
}

export const indexing = { getIndexingStatus }

function hasOther({ access_type_filters: access, last_status_filters: statuses, ...body }: JsonObject): boolean {
  const isCounted = typeof body.docs_count_value === 'number' && Boolean(body.docs_count_operator)
  return [access, statuses].some((it) => Array.isArray(it) && it.length > 0) || isCounted
}

function hasName({ name }: { name: string | null }, filter: string | null | undefined): boolean {
  return !filter || (name ?? '').toLowerCase().includes(filter.toLowerCase())
}

function statusOf(model: Model, pair: Pair, is_editable: boolean, secondary: boolean) {
  const rows = model
    .all('indexAttempts', (it) => it.connector_credential_id === pair.id)
    .sort(backwards((it: Attempt) => it.id))
  const refreshes = refreshesOf(model, pair, rows)
  const all = [...refreshes, ...rows].map((attempt) => ({ attempt, status: stateOf(model, attempt) }))
  const primary = all.filter(({ attempt }) => !attempt.secondary_index)
  const asked = all.filter(({ attempt }) => attempt.secondary_index === secondary)
  const successes = primary.filter(({ status }) => status === 'success' || status === 'completed_with_errors')
  const news = successes.filter(
    ({ attempt }) => !pair.last_success || (attempt.settles_at as string) > pair.last_success
  )
  const started = primary.some(({ status }) => status !== 'not_started')
  let cc_pair_status = pair.status
  if (cc_pair_status === 'SCHEDULED' && started) cc_pair_status = 'INITIAL_INDEXING'
  if (cc_pair_status === 'INITIAL_INDEXING' && successes.length > 0) cc_pair_status = 'ACTIVE'
  const dates = [pair.last_success, ...news.map(({ attempt }) => attempt.settles_at)].filter((it) => it !== null)
  return {
    cc_pair_id: pair.id,
    name: pair.name,
    source: (model.find('connectors', pair.connector_id) as Rows['connectors']).source as string,
    access_type: pair.access_type,
    cc_pair_status,
    in_progress: asked[0]?.status === 'in_progress',
    in_repeated_error_state: pair.in_repeated_error_state && news.length === 0,
    last_finished_status: asked.find(({ status }) => !/^(not_started|in_progress)$/.test(status))?.status ?? null,
    last_status: asked[0]?.status ?? null,
    last_success: dates.sort().at(-1) ?? null,
    is_editable,
    docs_indexed: news.reduce(
      (sum, { attempt }) => (refreshes.includes(attempt) ? sum : sum + attempt.docs_indexed),
      pair.docs_indexed
    ),
    latest_index_attempt_docs_indexed: asked[0] ? docsOf(model, asked[0].attempt) : null
  }
}

/** One after the other, each `refresh_freq` after the one before ended; how many documents they found only the mock knows. */
function refreshesOf(model: Model, pair: Pair, rows: Attempt[]): Attempt[] {
  const inUse = rows.filter((it) => !it.secondary_index)
  const ended = (it: Attempt | undefined) => it !== undefined && !/^(not_started|in_progress)$/.test(stateOf(model, it))
  const isOnce = inUse.some((it) => ended(it) && /^(success|completed_with_errors)$/.test(it.settles_as))
  const isActive = pair.status === 'ACTIVE' || (/^(SCHEDULED|INITIAL_INDEXING)$/.test(pair.status) && isOnce)
  const pause = (model.find('connectors', pair.connector_id) as Rows['connectors']).refresh_freq
  const isFailing = pair.in_repeated_error_state
  const made: Attempt[] = []
  for (let last = inUse[0]; last && ended(last) && isActive && pause; last = made[0]) {
    const start = Date.parse(last.settles_at as string) + pause * 1000
    if (start > model.now) break
    const [starts_at, settles_at] = [start, start + 10_000].map((it) => new Date(it).toISOString()) as [string, string]
    const isAgain = last.settles_as === 'completed_with_errors' || (last.settles_as === 'failed' && isFailing)
    const settles_as = isAgain ? last.settles_as : 'success'
    const found = settles_as === 'failed' ? 0 : Number.NaN
    made.unshift({ ...last, starts_at, settles_at, docs_indexed: found, settles_as })
  }
  return made
}

function stateOf({ moment }: Model, { starts_at, settles_at, settles_as }: Attempt) {
  if (settles_at !== null && settles_at <= moment) return settles_as
  return starts_at !== null && starts_at <= moment ? 'in_progress' : 'not_started'
}

function docsOf(model: Model, attempt: Attempt): number {
  const state = stateOf(model, attempt)
  if (state === 'not_started') return 0
  if (state !== 'in_progress' || attempt.settles_at === null) return attempt.docs_indexed
  const [start, end] = [Date.parse(attempt.starts_at as string), Date.parse(attempt.settles_at)]
  return Math.floor((attempt.docs_indexed * (model.now - start)) / (end - start))
}

function groupOf(
  source: string,
  all: Item[],
  {
    source_to_page,
    get_all_connectors
  }: { source_to_page?: Record<string, number> | null; get_all_connectors?: boolean }
): Group[] {
  const items = all.filter((item) => item.source.replace('federated_', '') === source)
  const pairs = items.filter((item) => 'cc_pair_id' in item)
  const current_page = source_to_page?.[source] ?? 1
  const shown = get_all_connectors ? items : items.slice((current_page - 1) * 10, Math.max(0, current_page * 10))
  if (shown.length === 0) return []
  const summary = {
    total_connectors: items.length,
    active_connectors: pairs.filter((pair) => pair.cc_pair_status === 'ACTIVE').length,
    public_connectors: pairs.filter((pair) => pair.access_type === 'public').length,
    total_docs_indexed: pairs.reduce((sum, pair) => sum + (pair.docs_indexed as number), 0)
  }
  const total_pages = Math.ceil(items.length / 10)
  return [{ source, summary, current_page, total_pages, indexing_statuses: shown }]
}

/** Copies the number of documents of a new association from the reply, because only the mock knows it. */
function learned(model: Model, groups: Group[], reply: Group[]): unknown {
  for (const [at, group] of groups.entries()) {
    for (const [place, item] of group.indexing_statuses.entries()) {
      const actual = reply[at]?.indexing_statuses[place]
      for (const field of ['docs_indexed', 'latest_index_attempt_docs_indexed']) {
        if (Number.isNaN(item[field]) && Number.isInteger(actual?.[field])) item[field] = actual?.[field]
      }
      for (const attempt of model.all('indexAttempts', (it) => it.connector_credential_id === item.cc_pair_id)) {
        if (Number.isNaN(attempt.docs_indexed) && stateOf(model, attempt) === 'success') {
          attempt.docs_indexed = item.docs_indexed as number
        }
      }
    }
    if (Number.isNaN(group.summary.total_docs_indexed)) {
      group.summary.total_docs_indexed = reply[at]?.summary.total_docs_indexed as number
    }
  }
  return groups
}
