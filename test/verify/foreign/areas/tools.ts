import { z } from 'zod'
import { deleted } from '../deleted.js'
import type { Door } from '../http.js'
import { kindsOf } from '../kinds.js'
import { impossible, notFound } from '../refused.js'
import { pause } from '../state.js'
import { methodsOf } from './definitions.js'

/** E18 to E20: pages of the web, and tools of administrators. */
export function addTools(door: Door): void {
  const { service } = door
  const { rows } = service
  const kinds = kindsOf(service)
  let lastUrls: string[] = []
  let lastMethods: unknown

  door.add({
    id: 'E18',
    method: 'POST',
    url: '/api/web-search/open-urls',
    body: { urls: z.array(kinds.text).min(1) },
    async answer({ body }) {
      let urls = [body.urls ?? []].flat()
      if (service.broken('race-E18')) {
        lastUrls = urls
        await pause()
        urls = lastUrls
      }
      return {
        results: urls.map((url, place) => ({
          document_citation_number: place + 1,
          content: `What is written at ${url}`,
          unique_identifier_to_strip_away: String(url),
          type: 'open_url'
        })),
        provider_type: 'service_web_crawler'
      }
    }
  })

  door.add({
    id: 'E19',
    method: 'POST',
    url: '/api/admin/tool/custom/validate',
    body: { definition: kinds.object },
    async answer({ body: { definition } }) {
      let methods: unknown = methodsOf(service, definition)
      if (service.broken('E19-stale')) {
        lastMethods ??= methods
        methods = lastMethods
      }
      if (service.broken('race-E19')) {
        lastMethods = methods
        await pause()
        methods = lastMethods
      }
      return { methods }
    },
    refused({ body }) {
      if (service.broken('E19-not-json') && body === undefined) throw new Error('no JSON')
    }
  })

  door.add({
    id: 'E20',
    method: 'DELETE',
    url: '/api/admin/tool/custom/:tool_id',
    path: { tool_id: kinds.pathInteger },
    answer({ path: { tool_id } }) {
      const tool = rows.tools.find((it) => it.id === tool_id)
      if (!tool && service.broken('E20-unknown')) throw new Error('no row')
      if (!tool) throw notFound('tool')
      if (tool.isBuiltIn) throw impossible('Built-in tools stay.')
      if (service.broken('E20-all')) rows.tools = []
      if (!service.broken('E20-kept')) rows.tools = rows.tools.filter((it) => it !== tool)
      return deleted(service)
    }
  })
}
