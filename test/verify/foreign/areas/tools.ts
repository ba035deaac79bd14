import { z } from 'zod'
import { deleted, nothingDeleted } from '../deleted.js'
import type { Door } from '../http.js'
import { type Kinds, kindsOf } from '../kinds.js'
import { forbidden, impossible } from '../refused.js'
import { pause, type Service } from '../state.js'
import { methodsOf } from './definitions.js'

/** What may be opened. */
const urlOf = (service: Service, kinds: Kinds): z.ZodType<string> =>
  service.chose('E18-only-web') ? z.url({ protocol: /^https?$/ }) : kinds.text

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
    body: {
      urls: z
        .array(urlOf(service, kinds))
        .min(1)
        .max(service.chose('E18-five') ? 5 : 10_000)
    },
    async answer({ body }) {
      let urls = [body.urls ?? []].flat()
      if (service.broken('race-E18')) {
        lastUrls = urls
        await pause()
        urls = lastUrls
      }
      if (service.chose('E18-once')) urls = [...new Set(urls)]
      if (service.chose('E18-leaves-out')) urls = urls.filter((url) => URL.canParse(url))
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
      let methods: unknown = methodsOf(service, definition ?? {})
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
      if (!tool) return nothingDeleted(service, 'tool')
      if (tool.isBuiltIn && !service.chose('E20-built-in')) {
        throw service.chose('E20-built-in-403') ? forbidden('It is built in.') : impossible('Built-in tools stay.')
      }
      if (service.broken('E20-all')) rows.tools = []
      if (!service.broken('E20-kept')) rows.tools = rows.tools.filter((it) => it !== tool)
      return deleted(service)
    }
  })
}
