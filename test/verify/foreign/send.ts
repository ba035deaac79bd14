import type { FastifyReply } from 'fastify'
import type { Refused } from './refused.js'
import type { Service } from './state.js'

/** Sends an answer. */
export function send(_service: Service, _id: string, reply: FastifyReply, { status, body, headers }: Refused) {
  reply.code(status).headers(headers)
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
}
