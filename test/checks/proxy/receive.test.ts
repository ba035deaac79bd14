import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { received } from '../../../src/tools/proxy/forward.js'

test('an answer that becomes too large to check just before it is passed on is passed on once', async () => {
  const stream = new Readable({ read: () => undefined })
  const message = Object.assign(stream, { headers: {} }) as unknown as IncomingMessage
  const body = received({ message, explain: (error) => error as never }, false)
  // As long as `received` waits, whose timer began before.
  await new Promise<void>((resolve) => {
    setTimeout(() => {
      stream.push(Buffer.alloc(17 * 1024 * 1024, 'x'))
      stream.push(null)
      // It is read after the turn in which it would be passed on.
      setImmediate(() => setImmediate(resolve))
    }, 100)
  })
  let size = 0
  for await (const chunk of (await body) as IncomingMessage) size += chunk.length
  expect(size).toBe(17 * 1024 * 1024)
})
