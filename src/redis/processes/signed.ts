import { createHmac } from 'node:crypto'
import { Refusal } from '../../engine/contract/message/refusal.js'
import { isSecret } from '../../engine/serve/message/caller.js'
import {
  type Answer,
  again,
  type BodyListener,
  type Outcome,
  type Request
} from '../../engine/serve/message/message.js'
import type { ReceivedRequest } from '../../engine/serve/owners.js'

/** The headers of a forwarded request, of a question between processes, and of an answer that breaks the connection. */
export const passHeader = 'x-mock-passed'
export const askHeader = 'x-mock-asked'
export const faultHeader = 'x-mock-fault'

interface Claims {
  sandbox: string
  /** Whether a page in a browser cannot have sent it. */
  isPrivate: boolean
  /** Whether its client sent a body. */
  hasBody: boolean
  hasHost: boolean
}

/** Signs the requests that processes forward to each other. A signature is valid once, and no one else can create one. */
export class Signed {
  constructor(public secret: string) {}

  write(claims: Claims, { method, target }: Pick<Request, 'method' | 'target'>): string {
    const text = Buffer.from(JSON.stringify(claims)).toString('base64url')
    return `${text}.${this.sign(text, method, target)}`
  }

  /** The request as its client sent it. Undefined if none has forwarded it. Throws a Refusal if the signature is wrong. */
  read(request: Request): ReceivedRequest | undefined {
    const header = request.headers[passHeader]
    if (typeof header !== 'string') return undefined
    const [text = '', signature = ''] = header.split('.')
    if (!isSecret(signature, this.sign(text, request.method, request.target))) throw new Refusal('unknown-peer')
    const claims = JSON.parse(Buffer.from(text, 'base64url').toString()) as Claims
    const { sandbox, hasBody } = claims
    return {
      sandbox,
      request: asSent(request, claims),
      async begin() {
        request.goOn?.()
        if (!hasBody && request.body.isExpected) await ended(request)
      }
    }
  }

  /** The header for a process's own question. */
  ask(method: string, target: string): string {
    return this.sign('asked', method, target)
  }

  /** Whether another process asks this one. Throws a Refusal if the signature is wrong. */
  isAsked({ headers, method, target }: Request): boolean {
    const header = headers[askHeader]
    if (header === undefined) return false
    if (!isSecret(String(header), this.ask(method, target))) throw new Refusal('unknown-peer')
    return true
  }

  private sign(text: string, method: string, target: string): string {
    return createHmac('sha256', this.secret).update(`${text} ${method} ${target}`).digest('base64url')
  }
}

/** A broken connection to the client is sent as an answer. */
export function carried(outcome: Outcome): Outcome {
  if (!outcome || !('fault' in outcome)) return outcome
  const body = outcome.garbage()
  const headers = { ...outcome.headers, [faultHeader]: outcome.fault, 'Content-Length': body.length }
  return { status: 200, headers, body } satisfies Answer
}

function asSent(request: Request, { isPrivate, hasBody, hasHost }: Claims): Request {
  const none = [...(hasBody ? [] : ['transfer-encoding']), ...(hasHost ? [] : ['host'])]
  const added = new Set([passHeader, 'expect', ...none])
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !added.has(name)))
  const rawHeaders = request.rawHeaders.filter((_, at, all) => !added.has((all[at - (at % 2)] as string).toLowerCase()))
  const peer = { ...request.peer, isPrivate }
  const plain: Request = Object.create(request, {
    headers: { value: headers },
    rawHeaders: { value: rawHeaders },
    peer: { value: peer }
  })
  return hasBody ? plain : again(plain, new Uint8Array())
}

/** Resolves at the end of a body. Rejects if it breaks off: then the other process knows that nothing was executed. */
function ended({ body }: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    const listener: BodyListener = { data: () => {}, end: resolve, fail: (reason) => reject(new Error(reason)) }
    body.read(listener)
  })
}
