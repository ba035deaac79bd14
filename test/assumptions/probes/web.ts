import { type Probe, seen, statusOf } from '../probe.js'

const openUrls = '/api/web-search/open-urls'

export const webProbes: Record<string, Probe> = {
  'web.content': ({ call }) => seen(call('POST', openUrls, { body: { urls: ['https://example.com/'] } })),

  'web.citation-number': async ({ call }) => {
    const { body } = await call('POST', openUrls, { body: { urls: ['https://example.com/'] } })
    return body.results[0].document_citation_number
  },

  'web.same-urls': async ({ call }) => {
    const urls = ['https://example.com/', 'https://example.com/']
    return (await call('POST', openUrls, { body: { urls } })).body.results.length
  },

  'web.blank-urls': ({ call }) => seen(call('POST', openUrls, { body: { urls: ['https://example.com/', ' '] } })),

  'web.private-addresses': async ({ call }) =>
    (await call('POST', openUrls, { body: { urls: ['http://10.0.0.1/'] } })).body.results.length,

  'web.limit': ({ call }) => statusOf(call('POST', openUrls, { body: { urls: Array(1001).fill('http://a.invalid') } }))
}
