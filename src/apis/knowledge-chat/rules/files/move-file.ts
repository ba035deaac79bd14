import type { Rows } from '../../../../engine/contract/types.gen.js'
import { unlinkFile } from '../indexing/removal.js'
import { later, type StatusContext } from '../rule.js'
import { deletionTime } from './files.js'

export const fileMoves = ['PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED', 'DELETING', 'gone'] as const

/** Milliseconds that a file stays PROCESSING after it was set to it. */
const processingTime = 3000

/** Sets the status of a file. */
export function moveFile({ rows, now }: StatusContext, file: Rows['userFiles'], to: (typeof fileMoves)[number]): void {
  if (to === 'DELETING' || to === 'gone') unlinkFile({ rows }, file)
  if (to === 'gone') rows.userFiles.remove(file.id)
  else if (to === 'DELETING') rows.userFiles.put({ ...file, status: to, settles_at: later(now, deletionTime) })
  else {
    const settles_as = to === 'PROCESSING' ? 'COMPLETED' : to
    const settles_at = to === 'PROCESSING' ? later(now, processingTime) : null
    rows.userFiles.put({ ...file, ...countsOf(file, settles_as), status: to, settles_as, settles_at, reads: 0 })
  }
}

/** The counts of a file. Missing counts follow from its id. */
function countsOf(file: Rows['userFiles'], settles_as: string): Pick<Rows['userFiles'], 'token_count' | 'chunk_count'> {
  if (settles_as !== 'COMPLETED') return { token_count: null, chunk_count: null }
  const drawn = Number.parseInt(file.id.slice(0, 8), 16)
  const chunk_count = file.chunk_count ?? 1 + (drawn % 60)
  return { chunk_count, token_count: file.token_count ?? chunk_count * 512 - (drawn % 512) }
}
