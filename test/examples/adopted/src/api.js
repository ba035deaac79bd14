/** Calls the API at the page's origin. The browser sends the cookie. */
export async function call(method, path, body) {
  const isSentAsItIs = body === undefined || body instanceof FormData || body instanceof URLSearchParams
  const response = await fetch(path, {
    method,
    headers: isSentAsItIs ? {} : { 'Content-Type': 'application/json' },
    body: isSentAsItIs ? body : JSON.stringify(body)
  })
  if (response.ok) return response
  const { detail } = await response.json().catch(() => ({}))
  throw new Error(Array.isArray(detail) ? detail.map(({ msg }) => msg).join('; ') : (detail ?? `${response.status}`))
}

export const get = async (path) => (await call('GET', path)).json()

/** The values of a stream of JSON lines, each as soon as it is there. */
export async function* lines(response) {
  let rest = ''
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const whole = (rest + text).split('\n')
    rest = whole.pop()
    for (const line of whole) yield JSON.parse(line)
  }
}
