/** The headers and the cookie of visitors that may name a sandbox. The first one that does counts. */
const places = [
  /\r\nx-mock-sandbox:[ \t]*([\w-]+)/i,
  /\r\nmcp-session-id:[ \t]*([\w-]+)/i,
  /\r\nauthorization:[ \t]*bearer +[^\s~]*~([\w-]+)/i,
  /\r\ncookie:[^\r]*\bkcm-visitor=([\w-]+)\./i
]

/**
 * Returns a function that guesses the sandbox of a connection from what its client has sent first. A wrong guess costs time:
 * the worker that gets the connection passes requests on.
 */
export function createHint(tokenCookie: string): (first: Uint8Array) => string {
  const name = tokenCookie.replace(/[^\w-]/g, '\\$&')
  const token = new RegExp(`\\r\\ncookie:[^\\r]*\\b${name}="?[^;\\s~%]*(?:~|%7e)([\\w-]+)`, 'i')
  const path = /^[A-Z]+ \/__mock\/sandboxes\/([\w-]+)/
  return (first) => {
    const text = Buffer.from(first.buffer, first.byteOffset, first.byteLength).toString('latin1')
    const end = text.indexOf('\r\n\r\n')
    const head = end < 0 ? text : text.slice(0, end)
    for (const place of [path, ...places, token]) {
      const found = place.exec(head)?.[1]
      if (found !== undefined) return found
    }
    return 'default'
  }
}
