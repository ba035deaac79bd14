import type { FastifyReply } from 'fastify'
import type { Refused } from './refused.js'
import type { Service } from './state.js'
import { withoutNulls } from './walk.js'
import { textOf } from './wire.js'

/** Sends an answer. */
export function send(service: Service, id: string, reply: FastifyReply, { status, body, headers }: Refused) {
  const answer = {
    status,
    body: structuredClone(body),
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers }
  }
  service.change(answer, id)
  const isKept = (name: string) => service.chose('nulls') || (service.chose('some-nulls') && name > 'm')
  if (answer.status === 200 && answer.body !== undefined) answer.body = withoutNulls(answer.body, isKept)
  reply.code(answer.status).headers(answer.headers)
  return reply.send(answer.status === 204 ? undefined : textOf(service, answer.body))
}
