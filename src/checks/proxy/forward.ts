import type { IncomingMessage } from 'node:http'
import { defaultChoices, type LedgerEntry } from '../../contract/ledger.js'
import { Copy, largest } from '../../serve/body/copy.js'
import { problemDocument } from '../../serve/control/problem.js'
import type { Setting } from '../../serve/exchange.js'
import { again, type Reply } from '../../serve/message/message.js'
import { shareOf } from '../../serve/read.js'
import type { Forward, RelayedAnswer } from '../../serve/relay.js'
import { failed } from '../../serve/reply.js'
import { textOf, tooLarge } from '../encoded.js'
import { Readings } from '../verify/learn/readings.js'
import { readBase } from './base.js'
import { checkRequest } from './check-request.js'
import { answerHeaders } from './headers.js'
import { judge, judgeOwn } from './judge.js'
import { received } from './receive.js'
import { type AnswerHead, createUpstream, UpstreamError, type UpstreamOptions } from './upstream.js'

export interface ForwardOptions extends UpstreamOptions {
  /** The operations that the mock answers instead of the service. */
  mocked: ReadonlySet<string>
  /** Turns an answer that breaks the contract into a 502. */
  strict: boolean
}

export function createForward(options: ForwardOptions, ledger: LedgerEntry[]): Forward {
  const upstream = createUpstream(options)
  const base = readBase(options.url)
  const readings = new Readings(ledger, defaultChoices(ledger, 'observed'))
  return {
    takes: (operation) => !operation || !options.mocked.has(operation.id),
    close: () => upstream.close(),
    failed: failedUpstream,

    async ask(exchange: Setting<'request'>) {
      const { request, operation } = exchange
      const sent = new Copy(shareOf(exchange))
      const begun = await upstream.ask(request, sent)
      const { message: answer } = begun
      const reason = refusalOf(answer)
      if (reason) {
        answer.destroy()
        throw new UpstreamError(502, `The service answered with ${reason}.`)
      }
      const isRead = () => request.body.isComplete && sent.isWhole
      if (answer.statusCode === 501 && operation && isRead()) {
        answer.resume()
        exchange.request = again(request, sent.bytes())
        return 'mock'
      }

      const check = async (bytes: Buffer | undefined) => {
        if (!operation) return []
        const asked =
          isRead() && (await checkRequest({ ...exchange, operation, request: again(request, sent.bytes()) }, readings))
        const broken = asked ? asked.map(({ text }) => `request: ${text}`) : []
        if (bytes === undefined || request.method === 'HEAD') return broken
        const { statusCode: status = 0, headers } = answer
        const found = operation.own
          ? judgeOwn(exchange.contract, operation, { status, headers, bytes }, asked || [])
          : judge(readings, operation, { status, headers, bytes }, asked || [])
        if (options.strict && found.length > 0) throw new BrokenContract(found)
        return [...broken, ...found]
      }
      const headers = answerHeaders(answer, base, request.mount)
      if (request.method === 'HEAD') {
        answer.resume()
        return relayed(begun, Buffer.alloc(0), check, headers)
      }
      return relayed(begun, await received(begun, options.strict), check, headers)
    }
  }
}

/** Why an answer cannot be passed on. */
function refusalOf({ statusCode: status = 0, headers }: IncomingMessage): string | undefined {
  if (status < 200) return `${status}, which is not a final status`
  // Node decodes nothing else, and the client would not be told of it.
  const coding = headers['transfer-encoding'] ?? 'chunked'
  return /^\s*chunked\s*$/i.test(coding) ? undefined : `Transfer-Encoding: ${coding}; only chunked is supported`
}

function relayed(
  { message: answer, explain }: AnswerHead,
  body: RelayedAnswer['body'],
  check: RelayedAnswer['check'],
  told: string[]
): RelayedAnswer {
  const { statusCode: status = 0, statusMessage: message = '', headers } = answer
  const hasLength = headers['content-length'] !== undefined
  return {
    status,
    message,
    headers: told,
    hasLength,
    body,
    check,
    explain,
    textOf(it) {
      const text = textOf(headers['content-encoding'], it, largest)
      return text === tooLarge ? undefined : text
    }
  }
}

/** An answer of the service that breaks the contract, under --strict. */
export class BrokenContract extends Error {
  constructor(readonly violations: string[]) {
    super(`The answer of the service breaks the contract: ${violations.join('; ')}`)
  }
}

/** The reply when the service gave no answer, or none that can be passed on. */
function failedUpstream(exchange: Setting<'failure' | 'problems' | 'refusal'>, error: unknown): Reply {
  if (error instanceof UpstreamError || error instanceof BrokenContract) exchange.failure = error.message
  if (error instanceof UpstreamError) return problemDocument('upstream', error.status, error.message)
  if (error instanceof BrokenContract) {
    const errors = error.violations.map((detail) => ({ field: 'response', detail }))
    return problemDocument('broken-contract', 502, error.message, { errors })
  }
  return failed(exchange, error)
}
