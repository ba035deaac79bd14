import { Agent, type ClientRequest, type IncomingMessage, type RequestOptions, request as send } from 'node:http'
import { clearInterval, setInterval } from 'node:timers'
import { Refusal } from '../../engine/contract/message/refusal.js'
import type { Fault } from '../../engine/contract/types.gen.js'
import { SandboxMoved } from '../../engine/sandbox/sandboxes.js'
import type { Entry } from '../../engine/serve/gate.js'
import type { AnswerHeaders, Outcome, Request } from '../../engine/serve/message/message.js'
import { isComing, misdirectedHeader, type OwnerAddress } from '../../engine/serve/owners.js'
import type { Replicas } from '../replicas.js'
import { faultHeader, passHeader, type Signed } from './signed.js'

const ofConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect'
])
/** Bodies up to this size are sent in one piece. */
const small = 64 * 1024

/** Forwards requests to the processes in which their sandboxes live, over connections that stay open. */
export class Forwarder {
  private readonly agent = new Agent({ keepAlive: true, scheduling: 'lifo' })

  constructor(
    private readonly signed: Signed,
    private readonly replicas: Replicas
  ) {}

  /**
   * Sends a request once. A request that may change something sends its body only after the other process has confirmed that it
   * is the right one. Until then, and if the request only reads, it can be sent again: Moved says where it belongs.
   */
  forward(request: Request, place: OwnerAddress, sandbox: string, entry: Entry): Promise<Outcome | SandboxMoved> {
    const { lives, lease, counts } = this.replicas
    counts.forwarded += 1
    const isSafe = ['GET', 'HEAD', 'OPTIONS'].includes(request.method) && !request.body.isExpected
    return new Promise((resolve, reject) => {
      let isSent = isSafe
      let isOver = false
      const sent = this.open(request, place, sandbox, isSafe)
      const watch = setInterval(() => {
        lives.addressOf(place.life).then(
          (address) => address ?? sent.destroy(new Error('its process has ended')),
          () => {}
        )
      }, lease.length).unref()
      const end = () => {
        clearInterval(watch)
        unwatch()
      }
      const settle = (then: () => void) => {
        if (isOver) return
        isOver = true
        end()
        then()
      }
      const unwatch = request.whenOver(() => {
        settle(() => resolve(undefined))
        sent.destroy()
      })
      sent.on('continue', () => {
        isSent = true
        passBody(request, sent)
      })
      sent.on('error', ({ message }) => {
        settle(() => {
          this.replicas.misled(sandbox, place)
          const reason = `the connection to its process broke (${message})`
          if (!isSent || isSafe) resolve(new SandboxMoved(sandbox))
          else reject(new Refusal('outcome-unknown', { name: sandbox, reason }))
        })
      })
      sent.on('response', (response) => {
        const needed = response.headers[misdirectedHeader]
        if (needed !== undefined) {
          response.resume()
          settle(() => {
            if (needed === sandbox) this.replicas.misled(sandbox, place)
            resolve(new SandboxMoved(String(needed)))
          })
          return
        }
        outcomeOf(response, entry).then(
          (outcome) => {
            if (isOver || !isComing(outcome)) return settle(() => resolve(outcome))
            // While it arrives, it ends with its client, and with its process.
            isOver = true
            response.on('error', () => {}).once('close', end)
            resolve(outcome)
          },
          (error: Error) => sent.destroy(error)
        )
      })
      if (isSafe) sent.end()
      else sent.flushHeaders()
    })
  }

  close(): void {
    this.agent.destroy()
  }

  private open(request: Request, { address }: OwnerAddress, sandbox: string, isSafe: boolean): ClientRequest {
    const { method, target, rawHeaders, body } = request
    const passed = pairsIn(rawHeaders).filter(([name]) => name.toLowerCase() !== passHeader)
    const hasLength = passed.some(([name]) => name.toLowerCase() === 'content-length')
    const headers = passed.flat()
    if (!isSafe) headers.push('Expect', '100-continue')
    // The other process waits for the end of a body, even if the body is empty.
    if (!isSafe && !hasLength) headers.push('Transfer-Encoding', 'chunked')
    // HTTP/1.0 has none, and later versions need one.
    const hasHost = request.headers.host !== undefined
    if (!hasHost) headers.push('Host', 'localhost')
    const claims = { sandbox, isPrivate: request.peer.isPrivate, hasBody: body.isExpected || hasLength, hasHost }
    headers.push(passHeader, this.signed.write(claims, request))
    const to = { agent: this.agent, method, path: target, headers, setHost: false }
    return send({ ...endpointOf(address), ...to } as RequestOptions)
  }
}

/** How node:http reaches the address of a process: http://host:port, or unix:/path of a socket. */
export function endpointOf(address: string): { host: string; port: string } | { socketPath: string } {
  if (address.startsWith('unix:')) return { socketPath: address.slice('unix:'.length) }
  const { hostname, port } = new URL(address)
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port }
}

/** Names and values of headers, without those that concern one connection. */
function pairsIn(rawHeaders: readonly string[]): [name: string, value: string][] {
  return rawHeaders.flatMap((name, at) =>
    at % 2 > 0 || ofConnection.has(name.toLowerCase()) ? [] : [[name, rawHeaders[at + 1] as string]]
  )
}

/** Sends the body as fast as it is read. Data after the answer is dropped: the client may read only after writing all. */
function passBody(request: Request, to: ClientRequest): void {
  const { body } = request
  if (!body.isExpected) return void to.end()
  let answer: IncomingMessage | undefined
  let isCut = false
  const cut = () => {
    if (isCut) return
    isCut = true
    if (answer?.complete) to.destroy()
    else answer?.once('end', () => to.destroy())
  }
  to.on('drain', () => body.resume())
  to.once('response', (response) => {
    answer = response
    body.resume()
  })
  body.read({
    data: (chunk) => {
      if (answer) cut()
      else if (!to.write(chunk)) body.pause()
    },
    end: () => void (isCut || to.end()),
    fail: (reason) => void to.destroy(new Error(reason))
  })
  body.resume()
}

async function outcomeOf(response: IncomingMessage, { headers: own = {} }: Entry): Promise<Outcome> {
  const { rawHeaders, headers: fields, statusCode: status = 502, statusMessage: message = '' } = response
  const fault = fields[faultHeader]
  if (fault !== undefined) {
    const garbage = await wholeOf(response)
    const pairs = Object.entries(fields).filter(([name]) => /^x-mock-(?!fault)/.test(name) || name === 'content-type')
    const headers = { ...own, ...(Object.fromEntries(pairs) as AnswerHeaders) }
    return { fault: fault as Fault, headers, garbage: () => garbage }
  }
  const headers = pairsIn(rawHeaders)
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  // Both may set cookies.
  const added = Object.entries(own).filter(([name]) => name === 'Set-Cookie' || !names.has(name.toLowerCase()))
  const length = Number(fields['content-length'] ?? Number.NaN)
  const body = length <= small || status === 204 || status === 304 ? await wholeOf(response) : response
  return { status, message, headers: [...headers, ...added].flat().map(String), body }
}

export async function wholeOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
