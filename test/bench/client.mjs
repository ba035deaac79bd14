// A client in its own process that keeps its connections. Takes orders from its parent:
// { port, requests: Buffer[], count, connections } → { statuses, median } with the median latency in ms.
// While it asks, it never sleeps: to wake a sleeping client costs the server up to as much as the whole answer, and the
// slower a server the more often its client sleeps, so that its own cost would count twice.
import { connect } from 'node:net'
import { median } from './numbers.mjs'
import { answerIn } from './wire.mjs'

process.on('message', async ({ port, requests, count, connections }) => {
  let isAsking = true
  const stayAwake = () => isAsking && setImmediate(stayAwake)
  try {
    const sent = { next: 0, statuses: {}, latencies: [] }
    stayAwake()
    const take = () => (sent.next < count ? requests[sent.next++ % requests.length] : undefined)
    await Promise.all(Array.from({ length: connections }, () => converse(port, take, sent)))
    process.send({ statuses: sent.statuses, median: median(sent.latencies) })
  } catch (error) {
    process.send({ error: error.message })
  } finally {
    isAsking = false
  }
})

/** Sends one request after the other, each when the answer to the one before is whole. */
function converse(port, take, { statuses, latencies }) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received = Buffer.alloc(0)
    let started = 0
    const send = () => {
      const request = take()
      if (!request) {
        socket.destroy()
        return resolve()
      }
      started = performance.now()
      socket.write(request)
    }
    socket.setNoDelay(true)
    socket.setTimeout(120_000, () => socket.destroy(new Error('no answer in 120 s')))
    socket.on('connect', send)
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const answer = answerIn(received)
      if (!answer) return
      latencies.push(performance.now() - started)
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      received = received.subarray(answer.end)
      send()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed the connection')))
  })
}
