import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** One request on its own connection. */
export function ask(port, { method, path, headers, body }) {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': body.length }
    const options = { host: '127.0.0.1', port, method, path, headers: { ...headers, ...length }, agent: false }
    const sent = request(options, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode: status, headers } = response
        resolve({ status, headers, text: Buffer.concat(chunks).toString() })
      })
    })
    sent.setTimeout(10_000, () => sent.destroy(new Error('no answer in 10 s')))
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Asks until the answer is a 200; gives the milliseconds since `started`. */
export async function firstSuccess(child, port, workload, started) {
  let last
  while (performance.now() - started < 30_000) {
    if (child.exitCode !== null) throw new Error(`ended with code ${child.exitCode} before its first answer`)
    try {
      last = await ask(port, workload)
      if (last.status === 200) return performance.now() - started
    } catch (error) {
      last = error
    }
    await sleep(2)
  }
  throw new Error(`no 200 in 30 s: ${last?.status ?? last?.message} ${last?.text?.slice(0, 200) ?? ''}`)
}
