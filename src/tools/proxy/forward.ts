import type { IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import { clearImmediate, clearTimeout, setImmediate, setTimeout } from 'node:timers'
import { defaultChoices, type LedgerEntry } from '../../engine/contract/ledger.js'
import { Copy, largest } from '../../engine/serve/body/copy.js'
import type { Setting } from '../../engine/serve/exchange.js'
import { guarded } from '../../engine/serve/message/contain.js'
import { again, type Reply, type Request } from '../../engine/serve/message/message.js'
import { failed, problemDocument } from '../../engine/serve/problem.js'
import { shareOf } from '../../engine/serve/read.js'
import type { Forward, RelayedAnswer } from '../../engine/serve/relay.js'
import { textOf, tooLarge } from '../encoded.js'
import type { Live } from '../record/live.js'
import { type Traffic, timeOf } from '../record/traffic.js'
import type { LiveShadow } from '../shadow/findings.js'
import { Readings } from '../verify/learn/readings.js'
import { readBase } from './base.js'
import { checkRequest } from './check-request.js'
import { answerHeaders } from './headers.js'
import { judge, type ServiceAnswer } from './judge.js'
import { type AnswerHead, createUpstream, UpstreamError, type UpstreamOptions } from './upstream.js'

/** Milliseconds to wait for an answer of unknown length, so that its violations fit into its headers. */
const patience = 100

/**
 * The whole body of an answer, or the answer itself as a stream if it is large, endless, or of unknown length and not
 * complete soon. `isStrict` always waits, because only a complete answer can be rejected.
 */
export function received(
  { message: answer, explain }: AnswerHead,
  isStrict: boolean
): Promise<Buffer | IncomingMessage> {
  const { headers } = answer
  if (/^text\/event-stream/i.test(headers['content-type'] ?? '')) return Promise.resolve(answer)
  if (Number(headers['content-length'] ?? 0) > largest) return Promise.resolve(answer)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let timer: NodeJS.Timeout | undefined
    let soon: NodeJS.Immediate | undefined
    const stop = () => {
      clearTimeout(timer)
      clearImmediate(soon)
      answer.off('data', add).off('end', whole).off('error', failed).off('close', cut)
    }
    const add = guarded(reject, (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > largest) passOn()
    })
    const whole = guarded(reject, () => {
      stop()
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    })
    const failed = guarded(reject, (error: unknown) => {
      stop()
      reject(explain(error))
    })
    const cut = guarded(reject, () => failed(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })))
    const passOn = () => {
      stop()
      answer.pause()
      for (const chunk of chunks.reverse()) answer.unshift(chunk)
      resolve(answer)
    }
    answer.on('data', add).once('end', whole).once('error', failed).once('close', cut)
    if (headers['content-length'] === undefined && !isStrict) {
      // Data that arrived while the process was busy is read first.
      const passOnNow = guarded(reject, () => void (!answer.readableEnded && !answer.destroyed && passOn()))
      const passOnSoon = guarded(reject, () => {
        soon = setImmediate(passOnNow)
      })
      timer = setTimeout(passOnSoon, patience)
    }
  })
}

export interface ForwardOptions extends UpstreamOptions {
  /** The operations that the mock answers instead of the service. */
  mocked: ReadonlySet<string>
  /** Turns an answer that breaks the contract into a 502. */
  strict: boolean
  /** Gets the exchanges of operations. */
  recording?: Live | undefined
  /** Makes what follows the calls, with a mock (`ShadowMock`) that answers them itself. */
  shadow?: ((mock: object) => LiveShadow) | undefined
}

/** `shadow` gets the exchanges of operations, too. */
export function createForward(options: ForwardOptions, ledger: LedgerEntry[], shadow?: LiveShadow): Forward {
  const upstream = createUpstream(options)
  const base = readBase(options.url)
  const readings = new Readings(ledger, defaultChoices(ledger, 'observed'))
  const followers = [options.recording ?? [], shadow ?? []].flat()
  const recent: Answered[] = []
  return {
    takes: (operation) => !operation || !options.mocked.has(operation.id),
    async close() {
      upstream.close()
      for (const it of followers) await it.close()
    },
    failed: failedUpstream,
    shadowReport: () => shadow?.shadowReport() ?? null,

    async ask(exchange: Setting<'request'>): Promise<RelayedAnswer | 'mock'> {
      const { request, operation } = exchange
      const sent = new Copy(shareOf(exchange))
      const start = performance.now()
      const begun = await upstream.ask(request, sent).catch((error: Error) => {
        if (operation) shadow?.miss(operation.id, error.message)
        throw error
      })
      const { message: answer } = begun
      const { statusCode: status = 0, headers } = answer
      const textIn = (bytes: Buffer) => textOf(headers['content-encoding'], bytes, largest)
      const reason = refusalOf(answer)
      if (reason) {
        answer.destroy()
        throw new UpstreamError(502, `The service answered with ${reason}.`)
      }
      const isRead = () => request.body.isComplete && sent.isWhole
      if (status === 501 && operation && isRead()) {
        answer.resume()
        exchange.request = again(request, sent.bytes())
        return 'mock'
      }

      const check = async (bytes: Buffer | undefined) => {
        if (!operation) return []
        const mistakes =
          isRead() && (await checkRequest({ ...exchange, operation, request: again(request, sent.bytes()) }, readings))
        const broken = mistakes ? mistakes.map(({ text }) => `request: ${text}`) : []
        if (bytes === undefined || request.method === 'HEAD') return broken
        const complete: ServiceAnswer = { status, headers, text: textIn(bytes) }
        const problems = judge(exchange.contract, readings, operation, complete, mistakes || [])
        if (followers.length > 0) {
          const traffic = trafficOf(request, isRead() ? sent : undefined, complete)
          noteMixed(recent, { traffic, start, end: performance.now(), isChange: !operation.isReading })
          for (const it of followers) it.add(traffic, problems)
        }
        if (options.strict && problems.length > 0) throw new BrokenContract(problems)
        return [...broken, ...problems]
      }
      const isHead = request.method === 'HEAD'
      if (isHead) answer.resume()
      return {
        status,
        message: answer.statusMessage ?? '',
        headers: answerHeaders(answer, base, request.mount),
        hasLength: headers['content-length'] !== undefined,
        body: isHead ? Buffer.alloc(0) : await received(begun, options.strict),
        check,
        explain: begun.explain,
        textOf(bytes): string | undefined {
          const text = textIn(bytes)
          return text === tooLarge ? undefined : text
        }
      }
    }
  }
}

interface Answered {
  traffic: Traffic
  start: number
  end: number
  isChange: boolean
}

/** So many exchanges may be answered at the same time. */
const mostRecent = 100

/** Marks exchanges of which one was answered while another one changed something. */
function noteMixed(recent: Answered[], latest: Answered): void {
  for (const it of recent)
    if (it.end > latest.start && (it.isChange || latest.isChange)) it.traffic.isMixed = latest.traffic.isMixed = true
  recent.push(latest)
  if (recent.length > mostRecent) recent.shift()
}

/** An exchange, without uploads. */
function trafficOf(
  { method, target, headers }: Request,
  sent: Copy | undefined,
  { status, headers: answered, text }: ServiceAnswer
): Traffic {
  const isUpload = /^multipart/i.test(String(headers['content-type']))
  return {
    method,
    target,
    headers: headers as Traffic['headers'],
    body: isUpload ? '' : (sent?.bytes().toString() ?? ''),
    status,
    text: typeof text === 'string' ? text : '',
    time: timeOf(Date.now(), answered.date)
  }
}

/** Why an answer cannot be forwarded. */
function refusalOf({ statusCode: status = 0, headers }: IncomingMessage): string | undefined {
  if (status < 200) return `${status}, which is not a final status`
  // Node decodes nothing else, and the client would not learn of it.
  const coding = headers['transfer-encoding'] ?? 'chunked'
  return /^\s*chunked\s*$/i.test(coding) ? undefined : `Transfer-Encoding: ${coding}; only chunked is supported`
}

/** An answer of the service that breaks the contract, under --strict. */
export class BrokenContract extends Error {
  constructor(readonly violations: string[]) {
    super(`The answer of the service breaks the contract: ${violations.join('; ')}`)
  }
}

/** The reply if the service gave no answer, or none that can be forwarded. */
function failedUpstream(exchange: Setting<'failure' | 'problems' | 'refusal'>, error: unknown): Reply {
  if (error instanceof UpstreamError || error instanceof BrokenContract) exchange.failure = error.message
  if (error instanceof UpstreamError) return problemDocument('upstream', error.status, error.message)
  if (error instanceof BrokenContract) {
    const errors = error.violations.map((detail) => ({ field: 'response', detail }))
    return problemDocument('broken-contract', 502, error.message, { errors })
  }
  return failed(exchange, error)
}
