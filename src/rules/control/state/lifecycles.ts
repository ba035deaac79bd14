import type { JsonObject } from '../../../contract/load.js'
import { Invalid } from '../../../contract/pydantic/explain.js'
import type { Lifecycle, Rows } from '../../../contract/types.gen.js'
import type { Sandbox } from '../../../mock/sandbox/sandbox.js'
import { attemptStatus, nextStep as nextOfAttempt } from '../../connectors/attempts.js'
import { nextStep as nextOfFile, statusOf } from '../../files/files.js'
import type { LifecycleContext, StatusContext } from '../../rule.js'
import { contextAt } from '../journal/history.js'
import type { ControlContext, ControlRules } from '../rule.js'
import { wrong } from '../wrong-field.js'
import { existing } from './ids.js'
import { moves } from './move.js'
import { showing } from './shown.js'
import { hiding } from './whole-state.js'

export const lifecycleRules: ControlRules<'listLifecycles' | 'moveRow'> = {
  listLifecycles: ({ query: { limit, at } }, context) => {
    const { sandbox } = contextAt(context, at)
    const { rows, clock, choices } = sandbox
    const timed: LifecycleContext = { now: clock.time, assume: (id) => choices[id] as never }
    const files = [...rows.userFiles.all()].flatMap((file) => fileLifecycle(timed, file))
    const attempts = [...rows.indexAttempts.all()].flatMap((attempt) => attemptLifecycle(timed, sandbox, attempt))
    const lifecycles = [...files, ...attempts].sort((a, b) => compare(a.at, b.at))
    return { now: timed.now, lifecycles: lifecycles.slice(0, limit), total: lifecycles.length }
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

function fileLifecycle(timed: LifecycleContext, file: Rows['userFiles']): Lifecycle[] {
  const step = nextOfFile(timed, file)
  if (!step) return []
  return [{ collection: 'userFiles', id: file.id, name: file.name, status: statusOf(timed, file), ...step }]
}

function attemptLifecycle(timed: LifecycleContext, { rows }: Sandbox, attempt: Rows['indexAttempts']): Lifecycle[] {
  const step = nextOfAttempt(timed, attempt)
  if (!step) return []
  const { id, connector_credential_id } = attempt
  const name = rows.connectorCredentials.get(connector_credential_id)?.name ?? `Pair ${connector_credential_id}`
  return [{ collection: 'indexAttempts', id, name, status: attemptStatus(timed, attempt), ...step }]
}

/** The next change first. Rows that the clock does not change come last. */
function compare(a: string | null, b: string | null): number {
  if (a === b) return 0
  return a === null || (b !== null && a > b) ? 1 : -1
}
