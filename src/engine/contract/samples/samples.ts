import type { Faker } from '@faker-js/faker'
import type { JsonSchema } from 'json-schema-faker'
import { packed } from '../lazy.js'
import type { Documents, Json, JsonObject } from '../load.js'
import type { CollectionRow, Operation } from '../model.js'
import { inMap } from '../once.js'
import { responseOf } from '../outcomes.js'
import type { Validators } from '../validation/compile.js'
import { type BoundedSchema, bounded, mostValues } from './bounded.js'
import { createFaker } from './faker.js'

/** The attempts at a valid value. No generator knows every keyword, so the last is used even if it is invalid. */
const tries = 5
/** The most values in a generated row, and in the values generated for missing fields of a row. A list has many. */
const mostOfRow = 1000
const mostOfPart = 100
/** How many values the cache keeps. Creating one takes a hundred times as long as sending it. */
const mostKept = 40 * mostValues

/** Generates values for schemas. The same seed gives the same value. */
export interface Samples {
  sampleOf(operation: Operation, status: number, seed: number): Json
  /** A row for a collection. Its references may not exist. */
  sampleRow(collection: string, seed: number): Json
  /** How many different rows are generated for a collection. */
  varietyOf(collection: string): number
  /** A value that a schema allows. Different numbers give different values, unless that takes too long. */
  sample(schema: JsonObject, seed: number, number: number): Json
  /** Why generated bodies of a response are smaller than its schema asks for. Undefined if they are not. */
  whyCut(operation: Operation, status: number): string | undefined
}

export function createSamples(
  documents: Documents,
  validators: Validators,
  collections: Map<string, CollectionRow>
): Samples {
  const bounds = new Map<string | JsonObject, BoundedSchema>()
  const boundsOf = (key: string | JsonObject, ...of: [Json, Parameters<typeof bounded>[2]]) =>
    inMap(bounds, key, () => bounded(documents, ...of))
  const rowBounds = (name: string, seed = 0) => {
    const { row, kinds = [row] } = collections.get(name) as CollectionRow
    const kind = seed % kinds.length
    return boundsOf(`${name} ${kind}`, kinds[kind] as JsonObject, { most: mostOfRow })
  }
  /** In the order of their creation. */
  const cache = new Map<string, { value: Json; size: number }>()
  let size = 0
  const once = (key: string, { values }: BoundedSchema, make: () => Json): Json => {
    const entry = cache.get(key)
    if (entry) return entry.value
    const value = make()
    cache.set(key, { value, size: values })
    size += values
    for (const [oldest, it] of cache) {
      if (size <= mostKept) break
      cache.delete(oldest)
      size -= it.size
    }
    return value
  }
  return {
    sampleOf(operation, status, seed) {
      const key = `${operation.id} ${status}`
      const schema = boundsOf(key, responseOf(operation, status)?.schema ?? {}, { isReply: true })
      const isValid = validators.reply(operation, status)
      return once(`${key} ${seed}`, schema, () => make(schema, seed, (it) => isValid.call(new Set(), it) === true))
    },
    sampleRow(name, seed) {
      const collection = collections.get(name) as CollectionRow
      const isValid = validators.row(collection)
      const schema = rowBounds(name, seed)
      return once(`${name} ${seed}`, schema, () => make(schema, seed, (it) => isValid.call(undefined, it) === true))
    },
    varietyOf: (name) => varietyOf(rowBounds(name)),
    sample(source, base, number) {
      const schema = boundsOf(source, source, { most: mostOfPart })
      const seed = base ^ (number % varietyOf(schema))
      return once(`${schema.number} ${seed}`, schema, () => make(schema, seed, () => true))
    },
    whyCut: ({ id }, status) => (bounds.get(`${id} ${status}`)?.isCut ? whyCut : undefined)
  }
}

function varietyOf({ values }: BoundedSchema): number {
  return Math.max(1, Math.floor((2 * mostValues) / values))
}

const whyCut = `The schema asks for a larger value than the mock makes up (${mostValues} values, and a limited depth), so this one is cut. Give the response an example, or a rule.`

function make({ schema, isCut }: BoundedSchema, seed: number, isValid: (value: Json) => boolean): Json {
  const { generateSync } = packed('sampler') as typeof import('json-schema-faker')
  faker ??= createFaker('2026-01-01')
  let room = 2 * mostValues
  const options = {
    alwaysFakeOptionals: true,
    maxDefaultItems: 3,
    maxDepth: 20,
    extensions: { faker },
    outputTransform(value: unknown) {
      room -= 1
      if (room < 0) throw new Error('too many values')
      return value
    }
  }
  let value: Json = null
  // Another attempt at a value that is cut is cut, too.
  for (let attempt = 0; attempt < (isCut ? 1 : tries) && room > 0; attempt++) {
    faker.seed((seed + attempt) >>> 0)
    try {
      // A default may be wrong.
      const useDefaultValue = attempt === 0
      value = generateSync(schema as JsonSchema, { ...options, useDefaultValue, seed: (seed + attempt) >>> 0 }) as Json
    } catch {
      // The generator does not know every keyword.
    }
    if (isValid(value)) break
  }
  return value
}

let faker: Faker | undefined
