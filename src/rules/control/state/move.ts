import type { Rows } from '../../../contract/types.gen.js'
import { attemptMoves, moveAttempt, movePair, pairMoves } from '../../connectors/move-attempt.js'
import { fileMoves, moveFile } from '../../files/move-file.js'
import type { StatusContext } from '../../rule.js'

/** What the rows of each collection with a lifecycle can become, and the functions that do it. */
export const moves = {
  userFiles: { to: fileMoves, move: moveFile },
  indexAttempts: { to: attemptMoves, move: moveAttempt },
  connectorCredentials: { to: pairMoves, move: movePair }
} as const satisfies {
  [C in keyof Rows]?: { to: readonly string[]; move(at: StatusContext, row: Rows[C], to: never): void }
}

export type Moves = { [C in keyof typeof moves]: (typeof moves)[C]['to'][number] }
