import { isObject, type JsonObject } from '../../../contract/load.js'
import { Unreachable } from '../calls/unreachable.js'
import type { Run } from '../run.js'

/** A field or parameter that the server documents. */
interface DocumentedField {
  name: string
  /** The type if it is a simple one, without null. */
  type: string | undefined
}

/** The usual addresses of a server's OpenAPI document. */
const places = ['/openapi.json', '/api/openapi.json']

/**
 * The server's own OpenAPI document, if it has one. It is only used for names that the description does not give, never
 * for expectations.
 */
export class Hints {
  private constructor(private readonly document: JsonObject | undefined) {}

  static async read(run: Run): Promise<Hints> {
    for (const target of places) {
      const call = { operation: run.operation('getUserRole'), method: 'GET', target, headers: {} }
      // Nothing is expected of it, no answer either.
      const asked = run.patience.send(() => run.client.send(call, `Bearer ${run.settings.token}`))
      const reply = await asked.catch((error: unknown) => {
        if (error instanceof Unreachable) return undefined
        throw error
      })
      const { status, body } = reply ?? {}
      if (status === 200 && isObject(body) && isObject(body.paths)) return new Hints(body)
    }
    return new Hints(undefined)
  }

  /** The documented query parameters. */
  query(run: Run, id: string): DocumentedField[] {
    const { parameters = [] } = this.row(run, id)
    const rows = (parameters as unknown[]).map((it) => this.followed(it)).filter((it) => it.in === 'query')
    return rows.map(({ name, schema }) => ({ name: String(name), type: this.typeOf(schema) }))
  }

  /** The documented fields of a JSON body. */
  body(run: Run, id: string): DocumentedField[] {
    const content = this.followed(this.row(run, id).requestBody).content as JsonObject | undefined
    const media = (content?.['application/json'] ?? {}) as JsonObject
    const { properties = {} } = this.followed(media.schema)
    return Object.entries(properties as JsonObject).map(([name, schema]) => ({ name, type: this.typeOf(schema) }))
  }

  private row(run: Run, id: string): JsonObject {
    const { path, method } = run.operation(id)
    const shape = (text: string) => text.replace(/\{[^{}]*\}/g, '{}').replace(/\/$/, '')
    const paths = (this.document?.paths ?? {}) as Record<string, JsonObject>
    const [, row] = Object.entries(paths).find(([it]) => shape(it) === shape(path)) ?? []
    return (row?.[method.toLowerCase()] ?? {}) as JsonObject
  }

  private typeOf(schema: unknown): string | undefined {
    const { type, anyOf, enum: values } = this.followed(schema)
    if (values) return 'enum'
    if (Array.isArray(anyOf)) return anyOf.map((it) => this.typeOf(it)).find((it) => it !== undefined && it !== 'null')
    return [type].flat().find((it): it is string => typeof it === 'string' && it !== 'null')
  }

  private followed(value: unknown): JsonObject {
    if (!isObject(value)) return {}
    if (typeof value.$ref !== 'string') return value
    const steps = value.$ref.replace(/^#\//, '').split('/')
    const target = steps.reduce<unknown>((it, step) => (isObject(it) ? it[step] : undefined), this.document)
    return isObject(target) ? target : {}
  }
}
