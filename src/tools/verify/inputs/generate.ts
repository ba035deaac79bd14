import type { Contract } from '../../../engine/contract/contract.js'
import { follow, isObject, type Json, type JsonObject } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import type { Input } from '../calls/request.js'

/** Unusual texts, but none that a database or a header could reject for its own reasons. */
const texts = [
  'Release notes',
  'a',
  'Zürich, Москва, 東京, القاهرة',
  '👩‍🚀 e\u0301 \u{1f1e8}\u{1f1ed}',
  `O'Brien; "quoted" \\ back/slash <b>&amp;</b> %20 100 %`,
  'two\nlines and\ta tab',
  'x'.repeat(255)
]
const numbers = [0, 1, 2, 7, 100, 32_767]
const moments = ['2026-01-01T00:00:00Z', '2024-02-29T23:59:59.999Z', '1999-12-31T12:00:00+02:00']

/** Valid inputs, generated from a seed. Optional fields are sometimes present, and none is null. */
export function generated(contract: Contract, operation: Operation, random: Random, count: number): Input[] {
  const make = (schema: JsonObject | undefined) => schema && someValue(contract, schema, random)
  return Array.from({ length: count }, () => ({
    query: make(operation.input.query) as JsonObject | undefined,
    body: operation.form ? undefined : make(operation.input.body)
  }))
}

/** A value that the schema allows. */
export function someValue(contract: Contract, source: JsonObject, random: Random): Json {
  const schema = typeof source.$ref === 'string' ? (follow(contract.documents, source.$ref) as JsonObject) : source
  const value = (part: JsonObject) => someValue(contract, part, random)
  if (Array.isArray(schema.anyOf)) return value(schema.anyOf[0] as JsonObject)
  if (schema.enum) return random.pick((schema['x-documented'] ?? schema.enum) as Json[])
  switch ([schema.type].flat()[0]) {
    case 'boolean':
      return random.next(2) === 0
    case 'integer':
    case 'number':
      return numberOf(schema, random)
    case 'array':
      return Array.from({ length: random.next(3) }, () => value((schema.items ?? {}) as JsonObject))
    case 'object':
      return objectOf(contract, schema, random)
    default:
      return random.turn(schema.format === 'date-time' ? moments : texts)
  }
}

function numberOf({ minimum, maximum }: JsonObject, random: Random): number {
  const bounds = [minimum, maximum].filter((it): it is number => typeof it === 'number')
  const inside = numbers.filter((it) => it >= Number(minimum ?? it) && it <= Number(maximum ?? it))
  return random.turn([...new Set([...bounds, ...inside])])
}

function objectOf(contract: Contract, schema: JsonObject, random: Random): JsonObject {
  const required = (schema.required ?? []) as string[]
  const names = schema.propertyNames
  if (isObject(names) && isObject(schema.additionalProperties)) {
    const name = String(someValue(contract, names, random))
    return random.next(2) === 0 ? {} : { [name]: someValue(contract, schema.additionalProperties, random) }
  }
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>)
  const entries = fields.filter(([name]) => required.includes(name) || random.takes(name))
  return Object.fromEntries(entries.map(([name, field]) => [name, someValue(contract, field, random)]))
}

/** Pseudo-random numbers from a seed (mulberry32). */
export class Random {
  private readonly turns = new Map<string, number>()

  /** `referring`: fields whose values come from examples, which are left out if they are optional. */
  constructor(
    private state: number,
    private readonly referring: RegExp
  ) {}

  /** A whole number from 0 and below `below`. */
  next(below: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }

  pick<T>(items: readonly T[]): T {
    return items[this.next(items.length)] as T
  }

  /** The items in turn, from a random start, so that every item is used. */
  turn<T>(items: readonly T[]): T {
    const key = JSON.stringify(items)
    const turn = this.turns.get(key) ?? this.next(items.length)
    this.turns.set(key, (turn + 1) % items.length)
    return items[turn] as T
  }

  /** Whether an optional field is present. */
  takes(name: string): boolean {
    return !this.referring.test(name) && this.next(4) !== 0
  }
}
