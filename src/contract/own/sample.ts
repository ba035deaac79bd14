import type { Faker } from '@faker-js/faker'
import type { JsonSchema } from 'json-schema-faker'
import type { CollectionRow, Operation } from '../contract.js'
import { packed } from '../lazy.js'
import type { Documents, Json } from '../load.js'
import { responseOf } from '../outcomes.js'
import type { Validators } from '../validation/validate.js'
import { bounded } from './bounded.js'
import { createFaker } from './faker.js'

/**
 * The number of attempts at a valid value. No generator knows every keyword, so the last one is used even if it is
 * invalid.
 */
const tries = 5
/** The number of cached values. Making one takes a hundred times as long as sending it. */
const mostKept = 1000

/** Makes values for schemas. The same seed gives the same value. */
export interface Samples {
  /** A body for the response of an operation. */
  sampleOf(operation: Operation, status: number, seed: number): Json
  /** A row for a collection. Its references may not exist. */
  sampleRow(collection: string, seed: number): Json
  /** A value that a schema allows. */
  sample(schema: Json, seed: number): Json
}

export function createSamples(
  documents: Documents,
  validators: Validators,
  collections: Map<string, CollectionRow>
): Samples {
  const kept = new Map<string, Json>()
  const ends = new Map<string, Json>()
  const boundedOnce = (key: string, schema: () => Json, isReply = false): Json => {
    let known = ends.get(key)
    if (known === undefined) {
      known = bounded(documents, schema(), isReply)
      ends.set(key, known)
    }
    return known
  }
  return {
    sampleOf(operation, status, seed) {
      const key = `${operation.id} ${status} ${seed}`
      const known = kept.get(key)
      if (known !== undefined) return known
      const holds = validators.reply(operation, status)
      const schema = boundedOnce(`${operation.id} ${status}`, () => responseOf(operation, status)?.schema ?? {}, true)
      const value = make(schema, seed, (it) => holds.call(new Set(), it) === true)
      kept.set(key, value)
      const [oldest] = kept.keys()
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
      return value
    },
    sampleRow(name, seed) {
      const collection = collections.get(name) as CollectionRow
      const holds = validators.row(collection)
      return make(
        boundedOnce(name, () => collection.row),
        seed,
        (it) => holds.call(undefined, it) === true
      )
    },
    sample: (schema, seed) => make(bounded(documents, schema), seed, () => true)
  }
}

function make(schema: Json, seed: number, holds: (value: Json) => boolean): Json {
  const { generateSync } = packed('sampler') as typeof import('json-schema-faker')
  faker ??= createFaker('2026-01-01')
  const options = {
    alwaysFakeOptionals: true,
    maxDefaultItems: 3,
    maxDepth: 20,
    extensions: { faker }
  }
  let value: Json = null
  for (let attempt = 0; attempt < tries; attempt++) {
    faker.seed((seed + attempt) >>> 0)
    try {
      // A default may be wrong.
      const useDefaultValue = attempt === 0
      value = generateSync(schema as JsonSchema, { ...options, useDefaultValue, seed: (seed + attempt) >>> 0 }) as Json
    } catch {
      // The generator does not know every keyword.
    }
    if (holds(value)) break
  }
  return value
}

let faker: Faker | undefined
