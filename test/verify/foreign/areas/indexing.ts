import { z } from 'zod'
import type { Pair } from '../data/rows.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'

const pageSize = 10
const access = z.enum(['public', 'private', 'sync'])
const state = z.enum(['not_started', 'in_progress', 'success', 'canceled', 'failed', 'completed_with_errors'])
const compared = {
  '>': (a: number, b: number) => a > b,
  '<': (a: number, b: number) => a < b,
  '=': (a: number, b: number) => a === b
}

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

  door.add({
    id: 'E16',
    method: 'POST',
    url: '/api/manage/admin/connector/indexing-status',
    body: {
      secondary_index: kinds.flag.optional(),
      access_type_filters: z.array(access).optional(),
      last_status_filters: z.array(state).optional(),
      docs_count_value: kinds.integer.optional(),
      docs_count_is: z.enum(['>', '<', '=']).optional(),
      name_filter: kinds.text.optional(),
      source_to_page: z.record(kinds.source, kinds.integer).optional(),
      get_all_connectors: kinds.flag.optional()
    },
    answer({ body }) {
      const { access_type_filters = [], last_status_filters = [], docs_count_value, docs_count_is = '=' } = body
      const { name_filter = '', source_to_page = {}, get_all_connectors = false } = body
      const sourceOf = (pair: Pair) => rows.connectors.find((it) => it.id === pair.connector)?.source as string
      const found = rows.pairs.filter(
        (pair) =>
          (access_type_filters.length === 0 || access_type_filters.includes(pair.access)) &&
          (last_status_filters.length === 0 || (last_status_filters as string[]).includes(pair.status)) &&
          (docs_count_value === undefined || compared[docs_count_is](pair.docs, docs_count_value)) &&
          pair.name.toLowerCase().includes(name_filter.toLowerCase())
      )
      const sources = [...new Set(found.map(sourceOf))].sort()
      return sources.map((source) => {
        const ofSource = found.filter((pair) => sourceOf(pair) === source)
        const page = Math.max((source_to_page as Record<string, number>)[source] ?? 1, 1)
        const shown = get_all_connectors ? ofSource : ofSource.slice((page - 1) * pageSize, page * pageSize)
        return {
          source,
          summary: {
            total_connectors: ofSource.length,
            active_connectors: ofSource.filter(({ status }) => status !== 'not_started').length,
            public_connectors: ofSource.filter((pair) => pair.access === 'public').length,
            total_docs_indexed: ofSource.reduce((sum, { docs }) => sum + docs, 0)
          },
          current_page: get_all_connectors ? 1 : page,
          total_pages: get_all_connectors ? 1 : Math.max(Math.ceil(ofSource.length / pageSize), 1),
          indexing_statuses: shown.map((pair) => statusOf(pair, source))
        }
      })
    }
  })
}
