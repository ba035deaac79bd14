import { Agent, type IncomingMessage, request } from 'node:http'

export interface Sent {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

export interface Received {
  status: number
  /** Names and values in turn, as received. */
  headers: string[]
  bytes: Buffer
}

/** A client that keeps its connections: some thousand requests in a second. */
export class Client {
  private readonly agent = new Agent({ keepAlive: true })
  private readonly address: { hostname: string; port: string }

  constructor(url: string) {
    this.address = new URL(url)
  }

  send({ method, path, headers = {}, body }: Sent): Promise<Received> {
    const { hostname, port } = this.address
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
    return new Promise((resolve, reject) => {
      const options = { hostname, port, method, path, agent: this.agent, headers: { ...headers, ...length } }
      const sent = request(options, (response: IncomingMessage) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          resolve({
            status: response.statusCode as number,
            headers: response.rawHeaders,
            bytes: Buffer.concat(chunks)
          })
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  close(): void {
    this.agent.destroy()
  }
}

/** The headers by their names in lower case. */
export function headersOf({ headers }: Received): Record<string, string> {
  const named: Record<string, string> = {}
  for (let at = 0; at < headers.length; at += 2) {
    named[(headers[at] as string).toLowerCase()] = headers[at + 1] as string
  }
  return named
}
