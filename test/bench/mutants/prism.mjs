import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ask, firstSuccess } from '../ask.mjs'
import { freePort, startNode, stop } from '../processes.mjs'

const cli = join(dirname(fileURLToPath(import.meta.url)), '../node_modules/@stoplight/prism-cli/dist/index.js')
/** Names the exchange on its way through Prism. */
const tag = 'x-exchange'
const atOnce = 8

/**
 * What Prism reports about an exchange.
 * @typedef {object} Report
 * @property {'request' | 'response' | 'own'} side `own`: it answered in the place of the server
 * @property {string} severity
 * @property {string} code
 * @property {string} place
 * @property {string} message
 */

/**
 * Prism's proxy before an upstream that gives each request the reply that was recorded for it: so one process serves all
 * mutants, and what Prism does to a request or a reply cannot change what verify does next.
 */
export async function startPrism(folder) {
  const replies = new Map()
  const upstream = createServer((incoming, response) => {
    incoming.resume()
    const { status, headers, text } = take(replies, incoming.headers[tag])
    response.writeHead(status, { ...headers, connection: 'close' })
    response.end(incoming.method === 'HEAD' ? undefined : text)
  })
  await new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const port = await freePort()
  const target = `http://127.0.0.1:${upstream.address().port}`
  const args = ['proxy', '--port', `${port}`, '--verboseLevel', 'silent', join(folder, 'openapi.json'), target]
  const child = startNode([cli, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  const role = { method: 'GET', path: '/api/get-user-role', headers: { Authorization: 'Bearer admin' } }
  await firstSuccess(child, port, role, performance.now())

  let last = 0
  /** @returns {Promise<{reports: Report[], isCut: boolean}>} */
  async function judge({ request, reply }) {
    const id = `${++last}`
    const entry = { reply, isAsked: false }
    replies.set(id, entry)
    const { connection: _connection, ...headers } = request.headers
    const body = request.body.length > 0 ? request.body : undefined
    try {
      const answer = await ask(port, { ...request, headers: { ...headers, [tag]: id }, body })
      return reportsOf(answer, entry)
    } catch (error) {
      return { reports: [ownReport(entry, 0, `no answer: ${error.message}`)], isCut: false }
    } finally {
      replies.delete(id)
    }
  }

  return {
    /** In the order of the exchanges. */
    async judgeAll(exchanges) {
      const results = []
      let next = 0
      const work = async () => {
        while (next < exchanges.length) {
          const place = next++
          results[place] = await judge(exchanges[place])
        }
      }
      await Promise.all(Array.from({ length: atOnce }, work))
      return results
    },
    async stop() {
      await stop(child)
      upstream.closeAllConnections()
      upstream.close()
    }
  }
}

const greeting = { status: 200, headers: { 'content-type': 'application/json' }, text: '{"role":"admin"}' }

function take(replies, id) {
  const entry = replies.get(id)
  if (!entry) return greeting
  entry.isAsked = true
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...headers } = entry.reply.headers
  return { ...entry.reply, headers }
}

/** Its reports are in a header, which it cuts at 8 kB; its own answer is a problem of RFC 7807. */
function reportsOf({ status, headers, text }, entry) {
  const header = headers['sl-violations'] ?? '[]'
  const isCut = header.startsWith('Too many violations!')
  const json = isCut ? `[${header.match(/\{"location":\[[^\]]*\].*?"\}(?=,\{"location"|\])/g)?.join() ?? ''}]` : header
  const reports = JSON.parse(json).map(({ location: [side, ...path], severity, code, message }) => ({
    side,
    severity,
    code: `${code ?? ''}`,
    place: path.join('.'),
    message
  }))
  if (!entry.isAsked || status !== entry.reply.status) reports.push(ownReport(entry, status, titleOf(text)))
  return { reports, isCut }
}

/** Where the server was asked, it is its reply that Prism could not read. */
function ownReport({ isAsked }, status, message) {
  const text = `Prism answers ${status} itself: ${message}`
  return { side: isAsked ? 'response' : 'own', severity: 'Error', code: `${status}`, place: '', message: text }
}

function titleOf(text) {
  try {
    const { title = '', detail = '' } = JSON.parse(text)
    return `${title} ${detail}`.trim() || text
  } catch {
    return text || 'no text'
  }
}
