import { join } from 'node:path'

// The page and the API have one origin, so the cookie of the sign-in is the page's own.
const mock = process.env.MOCK_URL ?? 'http://127.0.0.1:4010'
const to = (path) => ({ source: `${path}/:rest*`, destination: `${mock}${path}/:rest*` })

export default {
  rewrites: async () => ['/api', '/auth', '/__mock'].map(to),
  // The components are next to this folder.
  turbopack: { root: join(import.meta.dirname, '../..') }
}
