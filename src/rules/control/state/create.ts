import type { World } from '../../../../fixtures/index.js'
import type { CollectionRow } from '../../../contract/contract.js'
import type { JsonObject } from '../../../contract/load.js'
import { Invalid } from '../../../contract/pydantic/explain.js'
import { Refusal } from '../../../contract/refusal.js'
import { hash, mix } from '../../../mock/sandbox/ids.js'
import type { CollectionName } from '../../../store/rows.js'
import { atOnce, type Steps } from '../../../store/steps.js'
import type { ControlContext } from '../rule.js'
import { wrong } from '../wrong-field.js'
import { readPart, readRow, Uniqueness } from './check-rows.js'
import { newId, put, type RowMakingSandbox } from './ids.js'
import { fieldsIn } from './written.js'

/** The part of the context that making rows needs. */
export type Creating = Pick<ControlContext, 'contract' | 'factoryOf'> & { readonly sandbox: RowMakingSandbox }

export interface Wanted {
  /** The given fields of the rows. */
  part?: JsonObject
  trait?: string | undefined
  count?: number
}

/**
 * Makes rows and adds them to the sandbox. Missing fields are made by the fixtures' factories, from the sandbox's seed
 * and time, to match the given fields. A row depends only on its id, so the same calls make the same rows.
 */
export function createRows(context: Creating, collection: CollectionName, wanted: Wanted): JsonObject[] {
  return atOnce(creatingRows(context, collection, wanted))
}

export function* creatingRows(
  context: Creating,
  collection: CollectionName,
  { part = {}, trait, count = 1 }: Wanted
): Steps<JsonObject[]> {
  const { contract, sandbox } = context
  checkTrait(contract.collections.get(collection) as CollectionRow, trait)
  const given = readPart(contract, sandbox, collection, part)
  if (count !== 1 && given.id !== undefined) {
    throw new Invalid([wrong(['body', 'id'], 'Only one row can have an id: leave out count or id.')])
  }
  const world = worldIn(context)
  const made: JsonObject[] = []
  while (made.length < count) {
    made.push(world.make(collection, given, trait))
    yield
  }
  return made
}

function worldIn(context: Creating): World & { make: Make } {
  const { contract, sandbox, factoryOf } = context
  const { rows, ids } = sandbox
  const now = sandbox.clock.now
  const unique = new Uniqueness(contract, rows)
  const memory = new Map<string, unknown>()

  const add = (collection: CollectionName, value: JsonObject): JsonObject => {
    const row = readRow(contract, sandbox, collection, value)
    if (rows[collection].has(row.id as never)) throw new Refusal('taken-row', { collection, id: row.id })
    unique.refuse(collection, row)
    return put(sandbox, collection, row)
  }
  /** A row that is given completely brings no other rows with it. */
  const isWhole = (collection: CollectionName, given: JsonObject) =>
    fieldsIn(contract, contract.collections.get(collection) as CollectionRow).all.every(
      (name) => name === 'id' || name in given
    )
  const make: Make = (collection, given, trait) => {
    const id = (given.id as string | number | undefined) ?? newId(context, collection)
    const makeRow = factoryOf(collection)
    if (!makeRow || (trait === undefined && isWhole(collection, given))) return add(collection, { ...given, id })
    // A seed for each row, so that what is made before one does not change it.
    const seed = mix(ids.seed ^ hash(`${collection} ${id}`))
    const numberOf = (name: string) => ids.next(name as CollectionName, rows)
    const { row, others = [] } = makeRow({ seed, now, numberOf, trait }, { ...given, id }, world as World)
    const made = add(collection, row as JsonObject)
    for (const [name, other] of others) add(name as CollectionName, other as JsonObject)
    return made
  }
  const world = {
    rows,
    make,
    create: (collection: CollectionName, part: object = {}) => make(collection, part as JsonObject, undefined),
    once<T>(key: string, work: () => T): T {
      if (!memory.has(key)) memory.set(key, work())
      return memory.get(key) as T
    }
  }
  return world as unknown as World & { make: Make }
}

type Make = (collection: CollectionName, given: JsonObject, trait: string | undefined) => JsonObject

function checkTrait({ name, traits = {} }: CollectionRow, trait: string | undefined): void {
  if (trait === undefined || Object.hasOwn(traits, trait)) return
  const known = Object.keys(traits)
  const text = known.length > 0 ? `Known: ${known.join(', ')}.` : 'It has none.'
  throw new Invalid([wrong(['query', 'trait'], `${name} has no trait "${trait}". ${text}`, known)])
}
