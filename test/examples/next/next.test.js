import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import next from 'next'
import { expected, story } from '../story.mjs'

test('in route handlers of Next: the ten steps, next to the pages', async (t) => {
  const app = next({ dev: false, dir: import.meta.dirname })
  await app.prepare()
  const server = createServer(app.getRequestHandler()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    server.close()
    server.closeAllConnections()
    await app.close()
  })
  const origin = `http://127.0.0.1:${server.address().port}`
  assert.match(await (await fetch(origin)).text(), /The application/)
  assert.deepEqual(await story(fetch, origin), expected)
})
