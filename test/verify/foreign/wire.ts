import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from './state.js'

/** A body as it is sent. */
export function textOf(service: Service, body: unknown): string | undefined {
  if (body === undefined) return undefined
  const text = JSON.stringify(body, null, service.chose('pretty') ? 2 : 0)
  if (!service.chose('escaped')) return text
  return text.replace(/[\u0080-\uffff]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** How answers are sent, and what is answered where there is no operation. */
export function addWire(app: FastifyInstance, service: Service): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (service.chose('closes')) reply.header('connection', 'close')
    if (service.chose('clock-ahead') || service.chose('clock-behind')) {
      reply.header('date', new Date(service.now()).toUTCString())
    }
    // Fastify names a character set where none is named.
    if (service.chose('plain-json') && /^application\/json/.test(String(reply.getHeader('content-type')))) {
      reply.header('content-type', 'application/json')
    }
    if (typeof payload !== 'string') return payload
    if (service.chose('chunked')) {
      reply.removeHeader('content-length')
      return Readable.from([payload])
    }
    if (!service.chose('gzip') || !/gzip/.test(request.headers['accept-encoding'] ?? '')) return payload
    reply.header('content-encoding', 'gzip').removeHeader('content-length')
    return gzipSync(payload)
  })
  const known: Known[] = []
  app.addHook('onRoute', ({ method, url }) => {
    const path = new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`)
    for (const one of [method].flat()) known.push({ method: one, path })
  })
  app.setNotFoundHandler((request, reply) => nowhere(service, known, request, reply))
}

interface Known {
  method: string
  path: RegExp
}

/** What is answered where there is no operation. */
function nowhere(service: Service, known: Known[], { url, method }: FastifyRequest, reply: FastifyReply) {
  const [path = ''] = url.split('?')
  const methodsAt = (other: string) => known.filter((it) => it.path.test(other)).map((it) => it.method)
  const methods = methodsAt(path)
  if (methods.length > 0) {
    reply.header('allow', methods.join(', '))
    if (method === 'OPTIONS' && service.chose('options-204')) return reply.code(204).send()
    if (service.chose('method-405')) return reply.code(405).send({ error: 'method' })
    if (service.chose('method-400')) return reply.code(400).send({ error: 'method' })
    reply.removeHeader('allow')
  }
  const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`
  if (service.chose('slash-307') && methodsAt(other).length > 0) return reply.code(307).header('location', other).send()
  if (service.chose('nowhere-html')) return reply.code(404).type('text/html').send('<p>Nowhere</p>')
  return reply.code(404).send({ error: { code: 'nowhere', text: 'There is nothing here.' } })
}
