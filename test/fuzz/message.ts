import type { Random } from '../property/random.js'

export type Headers = [name: string, value: string][]

/** A request as it goes over the wire. */
export function message(
  method: string,
  target: string,
  sandbox: string,
  { headers = [], body, as = 'admin' }: { headers?: Headers; body?: string | Buffer | undefined; as?: string } = {}
): Buffer {
  const own: Headers = [
    ['Host', 'localhost'],
    ['Authorization', `Bearer ${as}`],
    ['X-Mock-Sandbox', sandbox]
  ]
  const given = new Set(headers.map(([name]) => name.toLowerCase()))
  const all = [...own.filter(([name]) => !given.has(name.toLowerCase())), ...headers]
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  if (bytes && !given.has('transfer-encoding') && !given.has('content-length')) {
    all.push(['Content-Length', String(bytes.length)])
  }
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines}\r\n`, 'latin1')
  return bytes ? Buffer.concat([head, bytes]) : head
}

export const json: Headers = [['Content-Type', 'application/json']]

/** A hidden request with a visible effect: it deletes. */
export function hidden(random: Random, sandbox: string): Buffer {
  const target = random.pick([
    '/api/persona/1',
    '/api/persona/2',
    '/api/admin/tool/custom/7',
    '/__mock/state/personas/3'
  ])
  return message('DELETE', target, sandbox)
}

/** Bytes as a body in chunks. */
export function chunked(random: Random, bytes: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = random.int(1, Math.max(1, Math.ceil(bytes.length / 3)))
    const chunk = bytes.subarray(at, at + size)
    const extension = random.chance(0.1) ? ';a="b"' : ''
    chunks.push(Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`), chunk, Buffer.from('\r\n'))
    at += size
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')])
}
