import { z } from 'zod'
import { deleted } from '../deleted.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { impossible, invalid, notFound } from '../refused.js'

const verbs = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a definition offers: a method for each operation of its paths. */
function methodsOf(definition: Record<string, unknown>) {
  if (!isObject(definition.paths)) {
    throw invalid({ loc: ['body', 'definition', 'paths'], msg: 'The definition has no paths.', type: 'no_paths' })
  }
  return Object.entries(definition.paths).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {})
      .filter(([method, spec]) => verbs.includes(method) && isObject(spec))
      .map(([method, spec]) => {
        const { operationId, summary } = spec as Record<string, unknown>
        return {
          name: typeof operationId === 'string' ? operationId : `${method} ${path}`,
          summary: typeof summary === 'string' ? summary : '',
          path,
          method,
          spec
        }
      })
  )
}

/** E18 to E20: pages of the web, and tools of administrators. */
export function addTools(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)

  door.add({
    id: 'E18',
    method: 'POST',
    url: '/api/web-search/open-urls',
    body: { urls: z.array(kinds.text).min(1) },
    answer: ({ body: { urls } }) => ({
      results: urls.map((url, place) => ({
        document_citation_number: place + 1,
        content: `What is written at ${url}`,
        unique_identifier_to_strip_away: url,
        type: 'open_url'
      })),
      provider_type: 'service_web_crawler'
    })
  })

  door.add({
    id: 'E19',
    method: 'POST',
    url: '/api/admin/tool/custom/validate',
    body: { definition: kinds.object },
    answer: ({ body: { definition } }) => ({ methods: methodsOf(definition) })
  })

  door.add({
    id: 'E20',
    method: 'DELETE',
    url: '/api/admin/tool/custom/:tool_id',
    path: { tool_id: kinds.pathInteger },
    answer({ path: { tool_id } }) {
      const tool = rows.tools.find((it) => it.id === tool_id)
      if (!tool) throw notFound('tool')
      if (tool.isBuiltIn) throw impossible('Built-in tools stay.')
      rows.tools.splice(rows.tools.indexOf(tool), 1)
      return deleted(service)
    }
  })
}
