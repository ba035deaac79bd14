import { z } from 'zod'
import type { Pair } from '../data/rows.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { type Filters, passes } from './filters.js'

const access = z.enum(['public', 'private', 'sync'])
const state = z.enum(['not_started', 'in_progress', 'success', 'canceled', 'failed', 'completed_with_errors'])

const statusOf = (pair: Pair, source: string) => ({
  cc_pair_id: pair.id,
  name: pair.name,
  source,
  access_type: pair.access,
  cc_pair_status: pair.status === 'not_started' ? 'SCHEDULED' : 'ACTIVE',
  in_progress: pair.status === 'in_progress',
  in_repeated_error_state: false,
  last_finished_status: pair.finished,
  last_status: pair.status,
  last_success: pair.succeeded === null ? null : new Date(pair.succeeded).toISOString(),
  is_editable: true,
  docs_indexed: pair.docs,
  latest_index_attempt_docs_indexed: pair.latest
})

export function addIndexing(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)
  let lastName: string | undefined
  const pageSize = service.chose('E16-pages-of-50') ? 50 : service.chose('E16-pages-of-3') ? 3 : 10
  const operatorName = service.chose('E16-operator-is') ? 'docs_count_is' : 'docs_count_operator'

  const sourceOf = (pair: Pair) => rows.connectors.find((it) => it.id === pair.connector)?.source as string

  /** The filters as the service heeds them. */
  function filtersOf(body: Filters): Filters {
    if (!service.broken('E16-sticks')) return body
    const name_filter = body.name_filter ?? lastName
    lastName = body.name_filter
    return { ...body, name_filter }
  }

  /** The page of a source. */
  function pageOf(pages: Record<string, number>, source: string): number {
    if (service.broken('E16-page-ignored')) return 1
    const [first] = Object.values(pages)
    return Math.max((service.broken('E16-page-of-all') ? first : pages[source]) ?? 1, 1)
  }

  function shownOf(pairs: Pair[], page: number, isAll: boolean): Pair[] {
    if (isAll) return pairs
    const from = (page - 1) * pageSize - (page > 1 && service.broken('E16-page-overlap') ? 1 : 0)
    return pairs.slice(from, from + pageSize)
  }

  /** What else a group of the report lists. */
  function federatedOf(source: string): object[] {
    if (!service.chose('E16-federated') || source !== 'imap') return []
    return [{ federated_connector_id: 5, label: 'Chat of the office', kind: 'federated_slack', healthy: true }]
  }

  function groupsOf(found: Pair[]): [string, Pair[]][] {
    if (service.broken('E16-source-twice')) return found.map((pair) => [sourceOf(pair), [pair]])
    if (service.broken('E16-wrong-source') && found[0]) return [[sourceOf(found[0]), found]]
    const isEach = service.chose('E16-all-sources')
    const sources = [...new Set((isEach ? rows.pairs : found).map(sourceOf))].sort()
    const groups = sources.map((source): [string, Pair[]] => [source, found.filter((it) => sourceOf(it) === source)])
    if (!service.chose('E16-other-order')) return groups
    return groups.toReversed().map(([source, pairs]) => [source, pairs.toReversed()])
  }

  const page = service.chose('E16-page-422') ? z.int().min(1) : kinds.integer

  door.add({
    id: 'E16',
    method: 'POST',
    url: '/api/manage/admin/connector/indexing-status',
    body: {
      secondary_index: kinds.flag.optional(),
      access_type_filters: z.array(access).optional(),
      last_status_filters: z.array(state).optional(),
      docs_count_value: kinds.integer.optional(),
      [operatorName]: z.enum(['>', '<', '=']).optional(),
      name_filter: kinds.text.optional(),
      source_to_page: z.partialRecord(kinds.source, page).optional(),
      get_all_connectors: kinds.flag.optional()
    },
    answer({ body }) {
      const { source_to_page = {}, get_all_connectors } = body
      const isAll = get_all_connectors === true && !service.chose('E16-all-ignored')
      const filters = filtersOf({ ...body, docs_count_operator: body[operatorName] } as Filters)
      const isLate = service.broken('E16-filter-after-page')
      const isTurned = Object.values(source_to_page as Record<string, number>).some((page) => page > 1)
      if (isTurned && service.broken('E16-first-page')) filters.access_type_filters = []
      const shows = (pair: Pair) => !(service.chose('E16-pairs-later') && pair.name === '')
      const found = rows.pairs.filter((pair) => shows(pair) && (isLate || passes(service, pair, filters)))
      if (service.broken('E16-nothing') && found.length === 0) throw new Error('no rows')
      return groupsOf(found).map(([source, pairs]) => {
        const last = Math.max(Math.ceil(pairs.length / pageSize), 1)
        const asked = isAll ? 1 : pageOf(source_to_page as Record<string, number>, source)
        const page = service.chose('E16-clamps') ? Math.min(asked, last) : asked
        const shown = shownOf(pairs, page, isAll).filter((pair) => !isLate || passes(service, pair, filters))
        const isOne = isAll || service.broken('E16-total-pages')
        const summed = service.chose('E16-whole-summary') ? rows.pairs.filter((it) => sourceOf(it) === source) : pairs
        return {
          source,
          summary: {
            total_connectors: summed.length,
            active_connectors: summed.filter(({ status }) => status !== 'not_started').length,
            public_connectors:
              summed.filter((pair) => pair.access === 'public').length + (service.broken('E16-public') ? 1 : 0),
            total_docs_indexed: summed.reduce((sum, { docs }) => sum + docs, 0)
          },
          current_page: service.broken('E16-current-page') ? page + 1 : page,
          total_pages: isOne ? 1 : last,
          indexing_statuses: [...shown.map((pair) => statusOf(pair, sourceOf(pair))), ...federatedOf(source)]
        }
      })
    }
  })
}
