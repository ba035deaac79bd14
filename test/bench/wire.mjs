/** A request as it is sent over a connection that is kept. */
export function bytesOf({ method, path, headers = {}, body }) {
  const all = { Host: '127.0.0.1', ...headers, ...(body && { 'Content-Length': body.length }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body ?? Buffer.alloc(0)])
}

/** Where an answer ends, with its status and body; undefined as long as it is not whole. */
export function answerIn(received) {
  const head = received.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const length = Number(/^content-length: (\d+)/im.exec(received.toString('latin1', 0, head))?.[1] ?? 0)
  const end = head + 4 + length
  if (received.length < end) return undefined
  return { status: Number(received.toString('latin1', 9, 12)), end, body: received.subarray(head + 4, end) }
}
