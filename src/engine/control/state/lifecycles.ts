import {
  attemptMoves,
  moveAttempt,
  movePair,
  pairMoves
} from '../../../apis/knowledge-chat/rules/connectors/move-attempt.js'
import { fileMoves, moveFile } from '../../../apis/knowledge-chat/rules/files/move-file.js'
import type { StatusContext } from '../../../apis/knowledge-chat/rules/rule.js'
import type { JsonObject } from '../../contract/load.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import type { Rows } from '../../contract/types.gen.js'
import { contextAt } from '../journal/past.js'
import { type ControlContext, type ControlRules, wrong } from '../rule.js'
import { existing } from './ids.js'
import { moving, nextStepOf } from './next-steps.js'
import { showing } from './shown.js'
import { hiding } from './whole-state.js'

export const lifecycleRules: ControlRules<'listLifecycles' | 'moveRow'> = {
  listLifecycles: ({ query: { limit, at } }, context) => {
    const { sandbox } = contextAt(context, at)
    const { rows, clock, choices } = sandbox
    const now = clock.time
    const lifecycles = moving
      .flatMap((name) => [...rows[name].all()].flatMap((row) => nextStepOf(name, row, { rows, choices, now }) ?? []))
      .sort((a, b) => compare(a.at, b.at))
    return { now, lifecycles: lifecycles.slice(0, limit), total: lifecycles.length }
  },

  moveRow: ({ path: { collection: name, id }, body: { to } }, context) => {
    const collection = withLifecycle(name)
    const { to: known, move } = moves[collection]
    if (!(known as readonly string[]).includes(to)) {
      const text = `${collection} cannot become "${to}". Good values: ${known.join(', ')}.`
      throw new Invalid([wrong(['body', 'to'], text, known)])
    }
    const { rows, clock, choices, ids } = context.sandbox
    const row = existing(context, collection, id)
    const at: StatusContext = { rows, now: clock.time, seed: ids.seed, assume: (it) => choices[it] as never }
    move(at, row as never, to as never)
    return shownAfter(context, collection, row.id)
  }
}

/** The row after its move, or only its id if it is gone. */
function shownAfter(context: ControlContext, collection: keyof typeof moves, id: string | number): JsonObject {
  const { rows } = context.sandbox
  const row = rows[collection].get(id as never) as unknown as JsonObject | undefined
  const shown = row && showing(context.sandbox, rows)(collection, row)
  return shown ? hiding(context, collection)(shown) : { id }
}

function withLifecycle(name: string): keyof typeof moves {
  if (Object.hasOwn(moves, name)) return name as keyof typeof moves
  const known = Object.keys(moves)
  const text = `${name} has no lifecycle. Collections with one: ${known.join(', ')}.`
  throw new Invalid([wrong(['path', 'collection'], text, known)])
}

/** The next change first. Rows that the clock does not change come last. */
function compare(a: string | null, b: string | null): number {
  if (a === b) return 0
  return a === null || (b !== null && a > b) ? 1 : -1
}

/** The statuses that rows of each collection with a lifecycle can get, and the functions that set them. */
export const moves = {
  userFiles: { to: fileMoves, move: moveFile },
  indexAttempts: { to: attemptMoves, move: moveAttempt },
  connectorCredentials: { to: pairMoves, move: movePair }
} as const satisfies {
  [C in keyof Rows]?: { to: readonly string[]; move(at: StatusContext, row: Rows[C], to: never): void }
}

export type Moves = { [C in keyof typeof moves]: (typeof moves)[C]['to'][number] }
