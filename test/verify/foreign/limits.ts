import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Service } from './state.js'
import { pause } from './state.js'

interface Stop {
  status: number
  after?: string
}

/** Why a request is stopped before it is read. */
function stopOf(service: Service, request: FastifyRequest, count: number, inSecond: number): Stop | undefined {
  if (service.chose('limited') && count % 25 === 0) return { status: 429, after: '0' }
  if (service.chose('limited-by-rate') && inSecond > 60) return { status: 429, after: '1' }
  if (service.chose('busy-once') && count === 40) return { status: 503, after: '1' }
  if (service.chose('large-413') && Number(request.headers['content-length'] ?? 0) > 65_536) return { status: 413 }
  if (service.chose('long-414') && request.url.length > 300) return { status: 414 }
  return undefined
}

/** Limits of the service, and how long it takes. */
export function addLimits(app: FastifyInstance, service: Service): void {
  let count = 0
  let second = { at: 0, count: 0 }

  app.addHook('onRequest', async (request, reply) => {
    count += 1
    const others = service.rows.sessions[3]
    if (service.chose('somebody-else') && others && count % 15 === 0) others.name = `Work ${count}`
    const at = Math.floor(Date.now() / 1000)
    second = second.at === at ? { at, count: second.count + 1 } : { at, count: 1 }
    if (service.chose('slow')) await pause(30)
    const stop = stopOf(service, request, count, second.count)
    if (!stop) return
    if (stop.after !== undefined) reply.header('retry-after', stop.after)
    return reply.code(stop.status).send({ error: { code: 'limit', text: 'Not now.' } })
  })
}
