import { Stopped } from '../../calls/stopped.js'
import type { Id } from '../../rows.js'
import { differences, type IsMeant, type ValuePath, type Watched, worldOf } from '../../world.js'
import type { Scene } from './scene.js'

/** A call that is ready to be made. */
export interface Ready {
  /** Rows to read in addition to the known ones. */
  watched?: Watched
  /** The row that the call changes. Other differences in it count without a second look. */
  row?: Id
  act(): Promise<unknown>
  /** Whether a change at a place is expected. Called after the call. */
  isMeant: IsMeant
}

/** Whether a place is in the row with this id. */
export const has =
  (id: Id | undefined) =>
  (place: ValuePath): boolean =>
    place.some((step) => step.toLowerCase() === String(id).toLowerCase())

/** Whether a place was read by this operation, and from this row if one is given. */
export function isOf([first, row]: ValuePath, operation: string, id?: Id): boolean {
  return (first as string).startsWith(`${operation} `) && (id === undefined || row === String(id))
}

/** Lists of rows within a row. */
const rowsIn = new Set(['chat_sessions', 'files'])

/**
 * Reads everything before and after a call. Only expected changes are allowed. Somebody else may have changed something
 * in the meantime, so only differences that appear again with the same call count. If the call cannot be repeated, all
 * differences count.
 */
export async function leavesTheRest(scene: Scene, id: string, prepare: () => Promise<Ready>): Promise<void> {
  let own: string[] = []
  const look = async () => {
    const { watched, row, act, isMeant } = await prepare()
    const before = await worldOf(scene.run, scene.rows, watched)
    await act()
    const after = await worldOf(scene.run, scene.rows, watched)
    const isElsewhere = (place: ValuePath) =>
      row === undefined || !has(row)(place) || place.some((it) => rowsIn.has(it))
    own = differences(before, after, (place, isNew) => isMeant(place, isNew) || isElsewhere(place))
    return differences(before, after, isMeant)
  }
  const first = await look().finally(() => putBack(scene))
  const isBelieved = first.length === 0 || own.length > 0
  const again = isBelieved ? first : await look().catch((error) => unlessStopped(error, first))
  await putBack(scene)
  const expected = `nothing changed but what ${id} names`
  scene.check('others_untouched', id, again.length === 0, expected, again.slice(0, 3).join('; '))
}

async function putBack(scene: Scene): Promise<void> {
  for (const undo of scene.undo.splice(0)) await undo()
}

function unlessStopped<T>(error: unknown, value: T): T {
  if (error instanceof Stopped) return value
  throw error
}
