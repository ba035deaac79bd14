import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMock } from 'knowledge-chat-mock/browser'
import { handlers } from 'knowledge-chat-mock/msw'
import { setupServer } from 'msw/node'
import { expected, story } from '../story.mjs'
import { answerBy } from './cypress.js'
import { app } from './hono.js'

test('in Hono: the ten steps, next to the application', async () => {
  assert.equal(await (await app.request('/')).text(), 'the application')
  assert.deepEqual(await story((url, init) => app.request(url, init), 'http://app.example'), expected)
})

/** The request that Cypress gives a handler, and the reply that it reads. */
function intercepted(handler) {
  return async (url, init = {}) => {
    const request = new Request(url, init)
    const bytes = await request.arrayBuffer()
    const isText = request.headers.get('content-type')?.includes('json')
    let reply
    await handler({
      method: request.method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      body: bytes.byteLength === 0 ? '' : isText ? JSON.parse(new TextDecoder().decode(bytes)) : bytes,
      reply: (answer) => {
        reply = answer
      }
    })
    if (reply.forceNetworkError) throw new TypeError('network error')
    return new Response(reply.body.byteLength === 0 ? null : reply.body, {
      status: reply.statusCode,
      headers: reply.headers
    })
  }
}

test('by the handler for cy.intercept: the ten steps, sandboxes, broken connections', async () => {
  const mock = createMock({ fixtures: 'demo' })
  assert.deepEqual(await story(intercepted(answerBy(mock)), 'http://app.example'), expected)
  const ask = intercepted(answerBy(mock, 'checkout-7'))
  mock.sandbox('checkout-7').override({ operation: 'getUserRole', fault: 'CONNECTION_RESET_BY_PEER', times: 1 })
  const headers = { Authorization: 'Bearer basic' }
  await assert.rejects(ask('http://app.example/api/get-user-role', { headers }), TypeError)
  const response = await ask('http://app.example/api/get-user-role', { headers })
  assert.deepEqual(await response.json(), { role: 'basic' })
})

test('in Mock Service Worker: the ten steps', async (t) => {
  const server = setupServer(...handlers(createMock({ fixtures: 'demo' }), { origin: 'http://api.example' }))
  server.listen({ onUnhandledRequest: 'error' })
  t.after(() => server.close())
  assert.deepEqual(await story(fetch, 'http://api.example'), expected)
})
