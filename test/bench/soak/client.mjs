// A client in its own process. Takes orders from its parent: { port, connections, seconds, every, rate } with
// `rate` requests a second, or as many as there can be where it is undefined; reports what it saw in intervals:
// { count, wrong, wrongs, p50, p99, max } with latencies in ms, and { isOver } at the end.
// A latency begins when the request was due, not when a connection was free for it: what waits behind a slow answer is
// slow too. While it asks, it never sleeps: to wake a sleeping client would be the server's cost.
import { connect } from 'node:net'
import { answerIn, bytesOf } from '../wire.mjs'
import { createMix } from './mix.mjs'

process.on('message', async (order) => {
  await drive(order)
  process.send({ isOver: true })
})

async function drive({ port, connections, seconds, every, rate }) {
  const mix = createMix()
  const idle = await Promise.all(Array.from({ length: connections }, () => opened(port)))
  const started = performance.now()
  const end = started + seconds * 1000
  let seen = nothingSeen()
  let last = started
  let sent = 0
  await new Promise((resolve, reject) => {
    const turn = () => {
      const now = performance.now()
      // The last look may be a moment too early to be a whole one.
      if (now - last >= every * 1000 || (now >= end && now - last >= every * 500)) {
        process.send(summary(seen, (now - last) / 1000))
        seen = nothingSeen()
        last = now
      }
      if (now >= end) {
        for (const connection of idle) connection.close()
        return resolve()
      }
      while (idle.length > 0) {
        const due = rate === undefined ? now : started + (sent * 1000) / rate
        if (due > now) break
        sent += 1
        const request = mix.next()
        const connection = idle.pop()
        connection.ask(bytesOf(request)).then((answer) => {
          seen.latencies.push(performance.now() - due)
          const wrong = mix.judge(request, answer)
          if (wrong) seen.wrongs.push(wrong)
          idle.push(connection)
        }, reject)
      }
      setImmediate(turn)
    }
    turn()
  })
}

const nothingSeen = () => ({ latencies: [], wrongs: [] })

function summary({ latencies, wrongs }, seconds) {
  const sorted = Float64Array.from(latencies).sort()
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  const count = sorted.length
  return {
    count,
    perSecond: count / seconds,
    wrong: wrongs.length,
    wrongs: wrongs.slice(0, 5),
    p50: at(0.5),
    p99: at(0.99),
    max: at(1)
  }
}

/** A connection that is kept, with one request at a time. */
function opened(port) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received = Buffer.alloc(0)
    let waiting
    const fail = (error) => {
      reject(error)
      waiting?.reject(error)
    }
    socket.setNoDelay(true)
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const answer = answerIn(received)
      if (!answer) return
      received = received.subarray(answer.end)
      waiting.resolve(answer)
    })
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('the server closed a connection')))
    socket.on('connect', () =>
      resolve({
        ask: (bytes) =>
          new Promise((answered, failed) => {
            waiting = { resolve: answered, reject: failed }
            socket.write(bytes)
          }),
        close: () => socket.destroy()
      })
    )
  })
}
