import { follow, isObject, type Json, type JsonObject } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import { type ApiTable, type Id, kindNamed } from '../api.js'
import type { Exchange, Reply } from '../calls/client.js'
import type { Input } from '../calls/request.js'
import { type Random, someValue } from '../inputs/generate.js'
import { type Loc, locsOf, type Readings } from './readings.js'

type Part = 'query' | 'body'

/** Fields that the server requires, which the description leaves open: learned from 422s, and then always sent. */
export class Needs {
  private readonly fields = new Map<string, Map<string, { part: Part; name: string; value: Json }>>()
  /** A row of a kind. */
  known: (kind: string) => Id | undefined = () => undefined

  constructor(
    private readonly api: ApiTable,
    private readonly random: Random,
    private readonly readings: Readings
  ) {}

  has(id: string, name: string): boolean {
    return this.fields.get(id)?.has(`body.${name}`) ?? false
  }

  /** Whether the server requires more fields of an operation than it has been given. */
  any(id: string): boolean {
    return this.fields.has(id)
  }

  /** The input with the required fields added. */
  complete({ id }: Operation, input: Input): Input {
    let whole = input
    for (const { part, name, value } of this.fields.get(id)?.values() ?? []) {
      const fields = whole[part]
      if (fields !== undefined && !isObject(fields)) continue
      if (fields?.[name] === undefined) whole = { ...whole, [part]: { ...fields, [name]: value } }
    }
    return whole
  }

  /** Learns from a 422 that only reports missing fields of the contract. A document says itself what it needs. Returns whether the input can be completed. */
  learn(operation: Operation, input: Input, exchange: Exchange): boolean {
    return !operation.origin && exchange.reply.status === 422 && this.demand(operation, input, locsOf(exchange))
  }

  /** Learns that the fields at these places are required. */
  demand(operation: Operation, input: Input, locs: Loc[]): boolean {
    const absent = locs.map((loc) => this.absent(operation, input, loc))
    if (absent.length === 0 || absent.includes(undefined)) return false
    const fields = this.fields.get(operation.id) ?? new Map()
    for (const field of absent) if (field) fields.set(`${field.part}.${field.name}`, field)
    this.fields.set(operation.id, fields)
    return this.complete(operation, input) !== input
  }

  /** The field at a place, with a value for it. Undefined if the field is present or unknown, or has no valid value. */
  private absent(operation: Operation, input: Input, [part, name, ...deeper]: unknown[]) {
    if ((part !== 'body' && part !== 'query') || typeof name !== 'string' || deeper.length > 0) return undefined
    const fields = input[part]
    if (fields !== undefined && (!isObject(fields) || fields[name] !== undefined)) return undefined
    const schema = (operation.input[part]?.properties as Record<string, JsonObject> | undefined)?.[name]
    const value = schema && this.valueOf(operation, name, schema)
    return value === undefined ? undefined : { part: part as Part, name, value }
  }

  private valueOf({ id, examples }: Operation, name: string, schema: JsonObject): Json | undefined {
    const kind = kindNamed(this.api, name)
    if (kind) return this.known(kind)
    const contract = this.readings.contractOf(id)
    const whole = typeof schema.$ref === 'string' ? (follow(contract.documents, schema.$ref) as JsonObject) : schema
    if (whole.default !== undefined) return whole.default
    if ([whole.type].flat().includes('array') && !whole.minItems) return []
    if (name.endsWith('_id')) return undefined
    for (const { body } of Object.values(examples)) {
      if (isObject(body) && body[name] !== undefined && body[name] !== null) return body[name]
    }
    return someValue(contract, whole, this.random)
  }
}

/** The server's own document. It is only used for names that the description does not give, never for expectations. */
export class Hints {
  private constructor(private readonly document: JsonObject = {}) {}

  /** Looks for the document at its usual addresses. */
  static async read(ask: (target: string) => Promise<Reply | undefined>): Promise<Hints> {
    for (const target of ['/openapi.json', '/api/openapi.json']) {
      const { status, body } = (await ask(target)) ?? {}
      if (status === 200 && isObject(body) && isObject(body.paths)) return new Hints(body)
    }
    return new Hints()
  }

  /** The documented query parameters and fields of a JSON body, each with its type if that is a simple one, without null. */
  query(operation: Operation) {
    const { parameters = [] } = this.row(operation)
    const rows = (parameters as unknown[]).map((it) => this.followed(it)).filter((it) => it.in === 'query')
    return rows.map(({ name, schema }) => ({ name: String(name), type: this.typeOf(schema) }))
  }

  body(operation: Operation) {
    const content = this.followed(this.row(operation).requestBody).content as JsonObject | undefined
    const media = (content?.['application/json'] ?? {}) as JsonObject
    const { properties = {} } = this.followed(media.schema)
    return Object.entries(properties as JsonObject).map(([name, schema]) => ({ name, type: this.typeOf(schema) }))
  }

  private row({ path, method }: Operation): JsonObject {
    const shape = (text: string) => text.replace(/\{[^{}]*\}/g, '{}').replace(/\/$/, '')
    const paths = (this.document.paths ?? {}) as Record<string, JsonObject>
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
