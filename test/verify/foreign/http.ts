import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { z } from 'zod'
import { mayCall, userOf } from './auth.js'
import { readForm, readJson } from './body.js'
import type { User } from './data/rows.js'
import { type Detail, detailsOf, forbidden, invalid, Refused } from './refused.js'
import { send } from './send.js'
import type { Service } from './state.js'

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
}

/** Adds operations to the app. */
export class Door {
  constructor(
    readonly app: FastifyInstance,
    readonly service: Service
  ) {}

  add<P extends Shape, Q extends Shape, B extends Shape>(operation: Operation<P, Q, B>): void {
    const schemas = this.schemasOf(operation)
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      try {
        const user = userOf(this.service, request)
        if (!mayCall(this.service, user, operation.url)) throw forbidden('For administrators.')
        const input = await this.read(operation, schemas, request)
        const body = await operation.answer({ ...input, user, request } as Call<P, Q, B>)
        return send(this.service, operation.id, reply, body instanceof Refused ? body : new Refused(200, body))
      } catch (error) {
        if (error instanceof Refused) return send(this.service, operation.id, reply, error)
        throw error
      }
    }
    this.app.route({ method: operation.method, url: operation.url, handler })
  }

  private schemasOf({
    path = {} as Shape,
    query = {} as Shape,
    body
  }: Pick<Operation<Shape, Shape, Shape>, 'path' | 'query' | 'body'>) {
    return { path: z.object(path), query: z.object(query), body: body && z.object(body) }
  }

  private async read(
    { id, url, isForm }: { id: string; url: string; isForm?: boolean },
    schemas: ReturnType<Door['schemasOf']>,
    request: FastifyRequest
  ) {
    const detail: Detail[] = []
    const checked = (part: 'path' | 'query' | 'body', schema: z.ZodType, value: unknown) => {
      const result = schema.safeParse(value, { reportInput: true })
      if (!result.success) detail.push(...detailsOf(part, result.error.issues))
      return result.data
    }
    const path = checked('path', schemas.path, request.params)
    const query = checked('query', schemas.query, request.query)
    let body: unknown = {}
    if (schemas.body) {
      const sent = isForm ? await readForm(request) : readJson(this.service, id, request)
      body = checked('body', schemas.body, id === 'E27' && !isObject(sent) ? {} : sent)
    }
    if (detail.length === 0) return { path, query, body }
    throw invalid(...detail.map((item) => wordsFor(item, url.startsWith('/api/chat/'))))
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Items of the chat area also tell the input and its context. */
function wordsFor({ loc, msg, type, input }: Detail, isChat: boolean): Detail {
  return isChat ? { loc, msg, type, input: input ?? null, ctx: { reason: msg } } : { loc, msg, type }
}
