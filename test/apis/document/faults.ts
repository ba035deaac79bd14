import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Check } from '../../../src/tools/verify/results.js'

/** A request on its way to the mock. */
interface Call {
  method: string
  url: URL
  // biome-ignore lint/suspicious/noExplicitAny: faults look into bodies of every shape
  body: any
  token: string | undefined
  type?: string | undefined
}

interface Answer {
  status: number
  type: string
  location?: string | null
  // biome-ignore lint/suspicious/noExplicitAny: faults look into bodies of every shape
  body: any
}

/** A fault in front of a mock of the shop. Null ends the connection. */
type Fault = (call: Call, next: (call: Call) => Promise<Answer>) => Promise<Answer | null>

const isAt = ({ method, url }: Call, wanted: string, path: RegExp) => method === wanted && path.test(url.pathname)
const product = /^\/products\/\d+$/
const products = /^\/products$/
const isGood = ({ status }: Answer) => status < 300

/** Changes the answers of an operation that succeed. */
function answering(method: string, path: RegExp, change: (answer: Answer, call: Call) => Answer): Fault {
  return async (call, next) => {
    const answer = await next(call)
    return isAt(call, method, path) && isGood(answer) ? change(answer, call) : answer
  }
}

/** Does the same to the product after that of the call. */
function alsoNext(method: string): Fault {
  return async (call, next) => {
    const answer = await next(call)
    const path = call.url.pathname.replace(/\d+$/, (id) => `${Number(id) + 1}`)
    if (isAt(call, method, product) && isGood(answer)) await next({ ...call, url: new URL(path, call.url) })
    return answer
  }
}

/** Does something to the oldest product that is left too. */
function alsoFirst(method: string, change: (call: Call, count: number) => Call): Fault {
  let id = 0
  let count = 0
  return async (call, next) => {
    const answer = await next(call)
    if (!isAt(call, method, product) || !isGood(answer)) return answer
    id += method === 'DELETE' || id === 0 ? 1 : 0
    await next(change({ ...call, url: new URL(`/products/${id}`, call.url) }, ++count))
    return answer
  }
}

/** Changes the requests to an operation. */
function asking(method: string, path: RegExp, change: (call: Call) => Call): Fault {
  return (call, next) => next(isAt(call, method, path) ? change(call) : call)
}

function withQuery(call: Call, change: (query: URLSearchParams) => void): Call {
  const url = new URL(call.url)
  change(url.searchParams)
  return { ...call, url }
}

const without = (body: object, name: string) => Object.fromEntries(Object.entries(body).filter(([it]) => it !== name))

/** Each run has a new fault, because some remember earlier calls. */
type Planted = [what: string, found: Check, fault: () => Fault]

export const faults: Planted[] = [
  [
    'a new row has another status',
    'status_code_conformance',
    () => answering('POST', products, (it) => ({ ...it, status: 200 }))
  ],
  [
    'a deletion has a success that no document names',
    'status_code_conformance',
    () => answering('DELETE', product, (it) => ({ ...it, status: 202 }))
  ],
  [
    'a field is missing',
    'response_schema_conformance',
    () => answering('GET', product, (it) => ({ ...it, body: without(it.body, 'created_at') }))
  ],
  [
    'a number is a text',
    'response_schema_conformance',
    () => answering('GET', product, (it) => ({ ...it, body: { ...it.body, price: `${it.body.price}` } }))
  ],
  ['a list fails', 'not_a_server_error', () => answering('GET', /^\/articles$/, (it) => ({ ...it, status: 500 }))],
  [
    'JSON comes as a page',
    'content_type_conformance',
    () => answering('GET', product, (it) => ({ ...it, type: 'text/html' }))
  ],
  [
    'a valid request is refused',
    'positive_data_acceptance',
    () => answering('POST', products, (it) => ({ ...it, status: 418 }))
  ],
  [
    'a changed row is stale',
    'values_read_back',
    () => {
      const first = new Map<string, Answer>()
      return answering('GET', product, (it, { url }) => {
        if (!first.has(url.pathname)) first.set(url.pathname, it)
        return first.get(url.pathname) as Answer
      })
    }
  ],
  [
    'a change resets another field',
    'values_read_back',
    () => async (call, next) => {
      const answer = await next(call)
      if (isAt(call, 'PATCH', product) && isGood(answer) && call.body.price === undefined)
        await next({ ...call, body: { price: 0 } })
      return answer
    }
  ],
  ['a change changes the row after it too', 'others_untouched', () => alsoNext('PATCH')],
  [
    'a change is shown and not made',
    'values_read_back',
    () => async (call, next) =>
      isAt(call, 'PUT', product) ? next({ ...call, method: 'GET', body: undefined }) : next(call)
  ],
  [
    'a deletion keeps the row',
    'use_after_free',
    () => async (call, next) => {
      if (!isAt(call, 'DELETE', product)) return next(call)
      const there = await next({ ...call, method: 'GET', body: undefined })
      return isGood(there) ? { status: 204, type: '', body: undefined } : there
    }
  ],
  ['a deletion removes the row after it too', 'others_untouched', () => alsoNext('DELETE')],
  [
    'a change changes the first row too',
    'others_untouched',
    () => alsoFirst('PATCH', (it, count) => ({ ...it, body: { price: count } }))
  ],
  ['a deletion removes an old row too', 'others_untouched', () => alsoFirst('DELETE', (it) => it)],
  [
    'a creation makes two rows',
    'unique_rows',
    () => async (call, next) => {
      const answer = await next(call)
      if (isAt(call, 'POST', products) && isGood(answer)) await next(call)
      return answer
    }
  ],
  [
    'a deleted row is listed',
    'use_after_free',
    () => {
      const gone: object[] = []
      return async (call, next) => {
        const there = isAt(call, 'DELETE', product)
          ? await next({ ...call, method: 'GET', body: undefined })
          : undefined
        const answer = await next(call)
        if (there && isGood(there) && isGood(answer)) gone.push(there.body)
        if (!isAt(call, 'GET', products) || !isGood(answer)) return answer
        const { items, total } = answer.body
        return { ...answer, body: { items: [...items, ...gone.slice(-1)], total: total + gone.slice(-1).length } }
      }
    }
  ],
  [
    'a new row is not listed',
    'ensure_resource_availability',
    () =>
      answering('GET', products, (it) => {
        const items = it.body.items.filter(({ id }: { id: number }) => id <= 10)
        return { ...it, body: { items, total: it.body.total - it.body.items.length + items.length } }
      })
  ],
  [
    'the total is wrong',
    'paging_consistent',
    () => answering('GET', products, (it) => ({ ...it, body: { ...it.body, total: it.body.total + 1 } }))
  ],
  [
    'pages overlap',
    'unique_rows',
    () =>
      asking('GET', products, (call) =>
        withQuery(call, (query) => {
          const page = Number(query.get('page') ?? 1)
          if (page > 1) query.set('page', `${page - 1}`)
        })
      )
  ],
  [
    'a page is longer than asked',
    'paging_consistent',
    () => asking('GET', products, (call) => withQuery(call, (query) => query.set('page_size', '50')))
  ],
  [
    'a filter is ignored',
    'filter_respected',
    () => asking('GET', products, (call) => withQuery(call, (query) => query.delete('category')))
  ],
  [
    'a filter finds nothing',
    'filter_respected',
    () =>
      asking('GET', products, (call) =>
        withQuery(call, (query) => query.has('category') && query.set('category', 'none'))
      )
  ],
  [
    'a cursor leads back',
    'unique_rows',
    () => asking('GET', /^\/orders\/?$/, (call) => withQuery(call, (query) => query.delete('cursor')))
  ],
  [
    'a reply has a secret',
    'secrets_hidden',
    () =>
      answering('GET', product, (it) => ({
        ...it,
        body: { ...it.body, password_hash: '', password: 'hunter2hunter2' }
      }))
  ],
  [
    'another row is answered',
    'values_read_back',
    () => asking('GET', product, (call) => ({ ...call, url: new URL('/products/1', call.url) }))
  ],
  ...(['GET', 'PATCH', 'DELETE'] as const).map(
    (method): Planted => [
      `${method} of one row needs no token`,
      'ignored_auth',
      () => (call, next) => next(isAt(call, method, product) ? { ...call, token: 'admin' } : call)
    ]
  ),
  [
    'no token is needed',
    'ignored_auth',
    () => asking('POST', products, (call) => ({ ...call, token: 'Bearer admin' }))
  ],
  [
    'a wrong body is accepted',
    'negative_data_rejection',
    () => async (call, next) => {
      const answer = await next(call)
      return isAt(call, 'POST', products) && answer.status === 400
        ? next({ ...call, body: { name: 'Ball', price: 1 } })
        : answer
    }
  ],
  [
    'a refused change is made',
    'others_untouched',
    () => async (call, next) => {
      const answer = await next(call)
      if (isAt(call, 'PATCH', product) && answer.status >= 400) await next({ ...call, body: { name: 'Changed' } })
      return answer
    }
  ],
  [
    'an unknown row is found',
    'unknown_id_refused',
    () => async (call, next) => {
      const answer = await next(call)
      return isAt(call, 'GET', product) && answer.status === 404
        ? next({ ...call, url: new URL('/products/1', call.url) })
        : answer
    }
  ],
  [
    'a value is lost',
    'values_read_back',
    () =>
      asking('POST', products, (call) => ({ ...call, body: call.body?.name ? without(call.body, 'note') : call.body }))
  ],
  [
    'a value is changed',
    'values_read_back',
    () =>
      asking('POST', /^\/articles$/, (call) =>
        typeof call.body?.article?.body === 'string'
          ? { ...call, body: { article: { ...call.body.article, body: 'Lorem ipsum' } } }
          : call
      )
  ],
  [
    'concurrent creations give one row',
    'unique_rows',
    () => {
      let last: Promise<Answer> | undefined
      return async (call, next) => {
        if (!isAt(call, 'POST', products)) return next(call)
        const running = last
        const mine = running ?? next(call)
        last = mine
        const answer = await mine
        last = undefined
        return answer
      }
    }
  ],
  [
    'a row is listed below another one',
    'filter_respected',
    () => {
      const seen = new Set<string>()
      return async (call, next) => {
        const answer = await next(call)
        if (!isAt(call, 'GET', /^\/articles\/[^/]+\/comments$/) || !isGood(answer)) return answer
        const others = [...seen].filter((it) => it !== call.url.pathname)
        seen.add(call.url.pathname)
        const bodies = await Promise.all(others.map((it) => next({ ...call, url: new URL(it, call.url) })))
        const comments = bodies.flatMap(({ body }) => body.comments ?? [])
        return { ...answer, body: { comments: [...answer.body.comments, ...comments] } }
      }
    }
  ],
  [
    'an error has another form',
    'response_schema_conformance',
    () => async (call, next) => {
      const answer = await next(call)
      return isAt(call, 'GET', product) && answer.status === 404 ? { ...answer, body: { oops: true } } : answer
    }
  ],
  [
    'a connection ends',
    'request_answered',
    () => async (call, next) => (isAt(call, 'PUT', product) ? null : next(call))
  ]
]

/** Puts a fault in front of a mock. Returns the address and a function that ends it. */
export async function plant(mock: string, fault: Fault): Promise<{ url: string; close: () => Promise<void> }> {
  const next = async ({ method, url, body, token, type: sent = 'application/json' }: Call): Promise<Answer> => {
    const response = await fetch(mock + url.pathname + url.search, {
      method,
      headers: { ...(token !== undefined && { Authorization: token }), 'Content-Type': sent },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    const location = response.headers.get('location')
    return { status: response.status, type, location, body: text === '' ? undefined : JSON.parse(text) }
  }
  const server = createServer(async (request, response) => {
    const text = await textOf(request)
    const body = text === '' ? undefined : (jsonOf(text) ?? text)
    const url = new URL(request.url as string, mock)
    const { authorization: token, 'content-type': type } = request.headers
    const call = { method: request.method as string, url, body, token, type }
    const answer = await fault(call, next)
    if (answer === null) return void request.socket.destroy()
    const sent = answer.body === undefined ? '' : JSON.stringify(answer.body)
    const headers = {
      ...(answer.type !== '' && { 'Content-Type': answer.type }),
      ...(answer.location && { Location: answer.location })
    }
    response.writeHead(answer.status, headers).end(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
