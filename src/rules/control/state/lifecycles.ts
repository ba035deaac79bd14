import type { Lifecycle, Rows } from '../../../contract/types.gen.js'
import type { Sandbox } from '../../../mock/sandbox/sandbox.js'
import { attemptStatus, nextStep as nextOfAttempt } from '../../connectors/attempts.js'
import { nextStep as nextOfFile, statusOf } from '../../files/files.js'
import type { Timed } from '../../rule.js'
import type { ControlRules } from '../rule.js'

export const lifecycleRules: ControlRules<'listLifecycles'> = {
  listLifecycles: ({ query: { limit } }, { sandbox }) => {
    const { rows, clock, choices } = sandbox
    const timed: Timed = { now: clock.time, assume: (id) => choices[id] as never }
    const files = [...rows.userFiles.all()].flatMap((file) => fileLifecycle(timed, file))
    const attempts = [...rows.indexAttempts.all()].flatMap((attempt) => attemptLifecycle(timed, sandbox, attempt))
    const lifecycles = [...files, ...attempts].sort((a, b) => compare(a.at, b.at))
    return { now: timed.now, lifecycles: lifecycles.slice(0, limit), total: lifecycles.length }
  }
}

function fileLifecycle(timed: Timed, file: Rows['userFiles']): Lifecycle[] {
  const step = nextOfFile(timed, file)
  if (!step) return []
  return [{ collection: 'userFiles', id: file.id, name: file.name, status: statusOf(timed, file), ...step }]
}

function attemptLifecycle(timed: Timed, { rows }: Sandbox, attempt: Rows['indexAttempts']): Lifecycle[] {
  const step = nextOfAttempt(timed, attempt)
  if (!step) return []
  const { id, connector_credential_id } = attempt
  const name = rows.connectorCredentials.get(connector_credential_id)?.name ?? `Pair ${connector_credential_id}`
  return [{ collection: 'indexAttempts', id, name, status: attemptStatus(timed, attempt), ...step }]
}

/** The next one first; what no clock moves comes last. */
function compare(a: string | null, b: string | null): number {
  if (a === b) return 0
  return a === null || (b !== null && a > b) ? 1 : -1
}
