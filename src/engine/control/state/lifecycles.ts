import type { JsonObject } from '../../contract/load.js'
import { collectionOf } from '../../store/rows.js'
import { contextAt } from '../journal/past.js'
import { type ControlContext, type ControlRules, invalid } from '../rule.js'
import { existing } from './ids.js'
import { nextStepOf, showing, statusesAt } from './shown.js'
import { hiding } from './whole-state.js'

export const lifecycleRules: ControlRules<'listLifecycles' | 'moveRow'> = {
  listLifecycles: ({ query: { limit, at } }, context) => {
    const { sandbox, contract } = contextAt(context, at)
    const { rows, clock } = sandbox
    const now = clock.time
    const statuses = statusesAt(sandbox, rows, now)
    const lifecycles = Object.keys(contract.api.lifecycles)
      .flatMap((name) =>
        [...collectionOf(rows, name).all()].map((row) => nextStepOf(contract.api, name, row, statuses))
      )
      .filter((step) => step !== undefined)
      .sort((a, b) => compare(a.at, b.at))
    return { now, lifecycles: lifecycles.slice(0, limit), total: lifecycles.length }
  },

  moveRow: ({ path: { collection, id }, body: { to } }, context) => {
    const { stages, setStatus } = lifecycleOf(context, collection)
    const statuses = stages.flat()
    if (!statuses.includes(to)) {
      const text = `${collection} cannot become "${to}". Good values: ${statuses.join(', ')}.`
      throw invalid(['body', 'to'], text, statuses)
    }
    const { sandbox } = context
    const row = existing(context, collection, id)
    setStatus(statusesAt(sandbox, sandbox.rows, sandbox.clock.time), row, to as never)
    return shownAfter(context, collection, row.id)
  }
}

/** The row after its move, or only its id if it is gone. */
function shownAfter(context: ControlContext, collection: string, id: string | number): JsonObject {
  const { sandbox, contract } = context
  const row = collectionOf(sandbox.rows, collection).get(id)
  const shown = row && showing(contract.api, sandbox, sandbox.rows)(collection, row)
  return shown ? hiding(context, collection)(shown) : { id }
}

function lifecycleOf({ contract }: ControlContext, name: string) {
  const { lifecycles } = contract.api
  const lifecycle = Object.hasOwn(lifecycles, name) ? lifecycles[name] : undefined
  if (lifecycle) return lifecycle
  const names = Object.keys(lifecycles)
  const text = `${name} has no lifecycle. Collections with one: ${names.join(', ')}.`
  throw invalid(['path', 'collection'], text, names)
}

/** The next change first. Rows that the clock does not change come last. */
function compare(a: string | null, b: string | null): number {
  if (a === b) return 0
  return a === null || (b !== null && a > b) ? 1 : -1
}
