import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { z } from 'zod'
import { checkRole, userOf } from './auth.js'
import { readForm, readJson } from './body.js'
import type { User } from './data/rows.js'
import { type Detail, detailsOf, invalid, Refused } from './refused.js'
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
    if (service.chose('check-before-token')) await this.read(operation, schemas, request)
    const user = await this.userOf(request, id)
    const isLate = service.broken('effect-before-role') && id === 'E30'
    if (service.chose('check-before-role')) await this.read(operation, schemas, request)
    if (!isLate) checkRole(service, user, operation, request.url)
    const input = await this.read(operation, schemas, request, user)
    for (const field of Object.keys(input.body)) if (service.has(`ignored ${id} ${field}`)) delete input.body[field]
    const answer = await operation.answer({ ...input, user, request })
    if (isLate) checkRole(service, user, operation, request.url)
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
      path: checkedFields(service, id, path, 'path'),
      query: checkedFields(service, id, query, 'query'),
      body: body && checkedFields(service, id, body, 'body')
    }
  }

  private async read(operation: AnyOperation, schemas: Schemas, request: FastifyRequest, user?: User): Promise<Sent> {
    const { service } = this
    const { id, url, isForm, refused } = operation
    const detail: Detail[] = []
    const checked = (part: 'path' | 'query' | 'body', schema: z.ZodType, value: unknown) => {
      const result = schema.safeParse(value, { reportInput: true })
      if (!result.success) detail.push(...detailsOf(part, result.error.issues))
      return result.data as Record<string, unknown>
    }
    let sent: unknown
    if (schemas.body) {
      sent = isForm ? await readForm(service, id, request) : readJson(service, id, request)
      if (id === 'E27' && !service.chose('E27-model')) sent ??= {}
    }
    service.failFor(id, { path: request.params, query: request.query, body: sent } as Sent)
    const path = checked('path', schemas.path, request.params)
    const query = checked('query', schemas.query, request.query)
    const isLate = service.chose('body-checked-later') && detail.length > 0
    const body = schemas.body && !isLate ? checked('body', schemas.body, sent) : {}
    if (detail.length === 0) return { path, query, body }
    if (path && user) refused?.({ user, path, body: sent })
    const told = service.chose('first-only') ? detail.slice(0, 1) : detail
    const items = told.map((item) => wordsFor(item, url.startsWith('/api/chat/')))
    throw invalid(...(service.chose('type-codes') ? items.map(coded) : items))
  }
}

type Schemas = ReturnType<Door['schemasOf']>

/** An item as a code. */
const coded = (item: Detail): Detail => ({ ...item, msg: 'bad', type: `E-${item.type.length}` })

/** Items of the chat area also tell the input and its context. */
function wordsFor({ loc, msg, type, input }: Detail, isChat: boolean): Detail {
  return isChat ? { loc, msg, type, input: input ?? null, ctx: { reason: msg } } : { loc, msg, type }
}
