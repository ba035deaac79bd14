import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { z } from 'zod'
import { mayCall, userOf } from './auth.js'
import { readForm, readJson } from './body.js'
import type { User } from './data/rows.js'
import { type Detail, detailsOf, forbidden, invalid, Refused } from './refused.js'
import { checkedFields } from './schemas.js'
import { send } from './send.js'
import { pause, type Service } from './state.js'
import type { Sent } from './switches/switch.js'

export type Shape = Record<string, z.ZodType>
type Values<S extends Shape> = z.infer<z.ZodObject<S>>

/** A request that has been read and checked. */
export interface Call<P extends Shape, Q extends Shape, B extends Shape> {
  user: User
  path: Values<P>
  query: Values<Q>
  body: Values<B>
  request: FastifyRequest
}

export interface Operation<P extends Shape, Q extends Shape, B extends Shape> {
  id: string
  method: HTTPMethods
  url: string
  path?: P
  query?: Q
  body?: B
  /** The body is multipart/form-data. */
  isForm?: boolean
  answer: (call: Call<P, Q, B>) => unknown
  /** Called with a body that was refused. */
  refused?: (call: { user: User; path: Record<string, unknown>; body: unknown }) => void
}

type AnyOperation = Operation<Shape, Shape, Shape>

/** Adds operations to the app. */
export class Door {
  private current: User | undefined

  constructor(
    readonly app: FastifyInstance,
    readonly service: Service
  ) {}

  add<P extends Shape, Q extends Shape, B extends Shape>(added: Operation<P, Q, B>): void {
    const operation = added as unknown as AnyOperation
    const { id, method, url } = operation
    const schemas = this.schemasOf(operation)
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      try {
        const answer = await this.answer(operation, schemas, request)
        return send(this.service, id, reply, answer instanceof Refused ? answer : new Refused(200, answer))
      } catch (error) {
        if (error instanceof Refused) return send(this.service, id, reply, error)
        throw error
      }
    }
    this.app.route({ method, url, handler })
  }

  private async answer(operation: AnyOperation, schemas: Schemas, request: FastifyRequest): Promise<unknown> {
    const { service } = this
    const { id } = operation
    const user = await this.userOf(request, id)
    const isEarly = service.broken('effect-before-role') && id === 'E30'
    if (!isEarly && !mayCall(service, user, operation)) throw forbidden('For administrators.')
    const input = await this.read(operation, schemas, request, user)
    service.failFor(id, input)
    for (const field of Object.keys(input.body)) if (service.has(`ignored ${id} ${field}`)) delete input.body[field]
    const answer = await operation.answer({ ...input, user, request })
    if (isEarly && !mayCall(service, user, operation)) throw forbidden('For administrators.')
    return answer
  }

  private async userOf(request: FastifyRequest, id: string): Promise<User> {
    const user = userOf(this.service, request, id)
    if (!this.service.broken('race-user')) return user
    this.current = user
    await pause()
    return this.current
  }

  private schemasOf({ id, path = {}, query = {}, body }: AnyOperation) {
    const { service } = this
    return {
      path: z.object(checkedFields(service, id, path, 'path ')),
      query: z.object(query),
      body: body && z.object(checkedFields(service, id, body))
    }
  }

  private async read(operation: AnyOperation, schemas: Schemas, request: FastifyRequest, user: User): Promise<Sent> {
    const { id, url, isForm, refused } = operation
    const detail: Detail[] = []
    const checked = (part: 'path' | 'query' | 'body', schema: z.ZodType, value: unknown) => {
      const result = schema.safeParse(value, { reportInput: true })
      if (!result.success) detail.push(...detailsOf(part, result.error.issues))
      return result.data as Record<string, unknown>
    }
    const path = checked('path', schemas.path, request.params)
    const query = checked('query', schemas.query, request.query)
    let body: Record<string, unknown> = {}
    let sent: unknown
    if (schemas.body) {
      sent = isForm ? await readForm(request) : readJson(this.service, id, request)
      if (id === 'E27' && !isObject(sent)) sent = {}
      body = checked('body', schemas.body, sent)
    }
    if (detail.length === 0) return { path, query, body }
    if (path) refused?.({ user, path, body: sent })
    throw invalid(...detail.map((item) => wordsFor(item, url.startsWith('/api/chat/'))))
  }
}

type Schemas = ReturnType<Door['schemasOf']>

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Items of the chat area also tell the input and its context. */
function wordsFor({ loc, msg, type, input }: Detail, isChat: boolean): Detail {
  return isChat ? { loc, msg, type, input: input ?? null, ctx: { reason: msg } } : { loc, msg, type }
}
