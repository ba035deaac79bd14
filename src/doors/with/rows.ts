import { isObject, type JsonObject } from '../../contract/load.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import type { AddRows } from '../../mock/ledger/own-rows.js'
import { Clock } from '../../mock/sandbox/clock.js'
import { Ids } from '../../mock/sandbox/ids.js'
import { rowsOf, type Sandbox } from '../../mock/sandbox/sandbox.js'
import { createRows } from '../../rules/control/state/create.js'
import { collectionOf } from '../../rules/control/state/ids.js'
import { type CollectionName, creatingStore } from '../../store/rows.js'

/**
 * Adds the user's own rows to those of a start, as a program creates them: parts of rows, users by key, times relative
 * to now. Throws an Error that names file, row and field.
 */
export const addRows: AddRows = function* (seeded, fixtures, { contract, factoryOf, seed, now }) {
  const rows = yield* creatingStore(seeded)
  const sandbox = { rows, ids: Ids.start(seed, rows), clock: new Clock({ now, speed: 0 }) } as Sandbox
  for (const { place, rows: byName } of fixtures) {
    for (const [name, list] of Object.entries(byName)) {
      if (!contract.collections.has(name)) throw new Error(`${place}: there is no collection ${name}`)
      if (!Array.isArray(list)) throw new Error(`${place}: ${name} must be a list of rows`)
      for (const [position, part] of list.entries()) {
        if (!isObject(part)) throw new Error(`${place}: ${name}[${position}] must be an object`)
        add(name as CollectionName, part, `${place}: ${name}[${position}]`)
        yield
      }
    }
  }
  return rowsOf(rows)

  function add(name: CollectionName, part: JsonObject, place: string): void {
    // A row replaces the row with the same id.
    if (part.id !== undefined) collectionOf(rows, name).remove(part.id as string)
    try {
      createRows({ contract, sandbox, factoryOf }, name, { part })
    } catch (error) {
      const [first] = error instanceof Invalid ? error.problems : []
      if (!first) throw new Error(`${place}: ${(error as Error).message}`)
      throw new Error(`${place}.${first.loc.slice(1).join('.')}: ${first.msg}`)
    }
  }
}
