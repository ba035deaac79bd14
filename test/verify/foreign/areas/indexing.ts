import { z } from 'zod'
import type { Pair } from '../data/rows.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { type Filters, passes } from './filters.js'

const pageSize = 10
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

  function groupsOf(found: Pair[]): [string, Pair[]][] {
    if (service.broken('E16-source-twice')) return found.map((pair) => [sourceOf(pair), [pair]])
    if (service.broken('E16-wrong-source') && found[0]) return [[sourceOf(found[0]), found]]
    const sources = [...new Set(found.map(sourceOf))].sort()
    return sources.map((source) => [source, found.filter((pair) => sourceOf(pair) === source)])
  }

  door.add({
    id: 'E16',
    method: 'POST',
    url: '/api/manage/admin/connector/indexing-status',
    body: {
      secondary_index: kinds.flag.optional(),
      access_type_filters: z.array(access).optional(),
      last_status_filters: z.array(state).optional(),
      docs_count_value: kinds.integer.optional(),
      docs_count_operator: z.enum(['>', '<', '=']).optional(),
      name_filter: kinds.text.optional(),
      source_to_page: z.record(kinds.source, kinds.integer).optional(),
      get_all_connectors: kinds.flag.optional()
    },
    answer({ body }) {
      const { source_to_page = {}, get_all_connectors = false } = body
      const filters = filtersOf(body)
      const isLate = service.broken('E16-filter-after-page')
      const found = rows.pairs.filter((pair) => isLate || passes(service, pair, filters))
      if (service.broken('E16-nothing') && found.length === 0) throw new Error('no rows')
      return groupsOf(found).map(([source, pairs]) => {
        const page = get_all_connectors ? 1 : pageOf(source_to_page as Record<string, number>, source)
        const shown = shownOf(pairs, page, get_all_connectors).filter(
          (pair) => !isLate || passes(service, pair, filters)
        )
        const isOne = get_all_connectors || service.broken('E16-total-pages')
        return {
          source,
          summary: {
            total_connectors: pairs.length,
            active_connectors: pairs.filter(({ status }) => status !== 'not_started').length,
            public_connectors: pairs.filter((pair) => pair.access === 'public').length,
            total_docs_indexed: pairs.reduce((sum, { docs }) => sum + docs, 0)
          },
          current_page: service.broken('E16-current-page') ? page + 1 : page,
          total_pages: isOne ? 1 : Math.max(Math.ceil(pairs.length / pageSize), 1),
          indexing_statuses: shown.map((pair) => statusOf(pair, sourceOf(pair)))
        }
      })
    }
  })
}
