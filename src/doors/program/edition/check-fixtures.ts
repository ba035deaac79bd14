import { shown } from '../../../engine/contract/load.js'
import { Invalid } from '../../../engine/contract/pydantic/explain.js'
import { readCollections } from '../../../engine/control/state/check-rows.js'
import type { Edition } from '../../../engine/ledger/edition.js'
import { rowsOf } from '../../../engine/sandbox/sandbox.js'
import { atOnce } from '../../../engine/store/steps.js'

/** Creates the initial rows. Throws an Error that names the first row that breaks its contract. */
export function checkFixtures({ startOf, contractOf, choices }: Edition, folder: string): void {
  try {
    atOnce(readCollections(contractOf(choices), rowsOf(startOf().rows), 0))
  } catch (error) {
    const [first] = error instanceof Invalid ? error.problems : []
    const problem = first ? `${first.loc.slice(2).join('.')}: ${first.msg}` : (error as Error).message
    throw new Error(problem.startsWith(shown(folder)) ? problem : `${shown(folder)}: ${problem}`)
  }
}

/** The same for the user's own rows. */
export function checkExtensions(edition: Edition): void {
  const [first] = edition.beside.fixtures
  if (first) checkFixtures(edition, first.place)
}
