import { attemptStatus, nextStep as nextOfAttempt } from '../../../apis/knowledge-chat/rules/connectors/attempts.js'
import { nextStep as nextOfFile, statusOf } from '../../../apis/knowledge-chat/rules/files/files.js'
import type { LifecycleContext } from '../../../apis/knowledge-chat/rules/rule.js'
import type { Choices } from '../../contract/load.js'
import type { Lifecycle, Rows } from '../../contract/types.gen.js'
import type { Store } from '../../store/rows.js'

/** The collections whose rows change with time. */
export const moving = ['userFiles', 'indexAttempts'] as const
export type Moving = (typeof moving)[number]

/** The status of a row at a time, and its next status. Undefined: its lifecycle has ended. */
export function nextStepOf(
  collection: Moving,
  row: Rows[Moving],
  { rows, choices, now }: { rows: Store; choices: Choices; now: string }
): Lifecycle | undefined {
  const timed: LifecycleContext = { now, assume: (id) => choices[id] as never }
  const { id } = row
  if (collection === 'userFiles') {
    const file = row as Rows['userFiles']
    const step = nextOfFile(timed, file)
    return step && { collection, id, name: file.name, status: statusOf(timed, file), ...step }
  }
  const attempt = row as Rows['indexAttempts']
  const step = nextOfAttempt(timed, attempt)
  const pair = attempt.connector_credential_id
  const name = step && (rows.connectorCredentials.get(pair)?.name ?? `Pair ${pair}`)
  return step && { collection, id, name: name as string, status: attemptStatus(timed, attempt), ...step }
}
