// The ten steps in Mock Service Worker 3. The other examples have version 2, which the package would find first.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { story } from '../story.mjs'

registerHooks({
  resolve: (name, context, next) => next(name, name === 'msw' ? { ...context, parentURL: import.meta.url } : context)
})
const { createMock } = await import('knowledge-chat-mock')
const { handlers } = await import('knowledge-chat-mock/msw')
const { setupServer } = await import('msw/node')

const { version } = JSON.parse(readFileSync(new URL('node_modules/msw/package.json', import.meta.url), 'utf8'))
const server = setupServer(...handlers(createMock({ fixtures: 'demo' }), { origin: 'http://api.example' }))
server.listen({ onUnhandledRequest: 'error' })
console.log(JSON.stringify([version.split('.')[0], await story(fetch, 'http://api.example')]))
server.close()
