import { realTime } from '../../calls/patience.js'
import { Stopped } from '../../calls/unreachable.js'
import type { Id } from '../../rows.js'
import { type Difference, differences, type IsExpected, type MoreRows, type ValuePath, worldOf } from '../../world.js'
import type { Scene } from './scene.js'

/** A call that is ready to be made. */
export interface PreparedCall {
  /** Rows to read in addition to the known ones. */
  watched?: MoreRows
  act(): Promise<unknown>
  /** Whether a change at a place is expected. Called after the call. */
  isMeant: IsExpected
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

/** The looks at the rows that show what changes by itself, and the milliseconds between two of them. */
const idle = { looks: 8, pause: 250 }

/**
 * Reads everything before and after a call. Only expected changes are allowed. Somebody else may have changed something
 * in the meantime, so a difference counts only in rows that nobody else changes, or if it appears again with the same
 * call and does not change without one.
 */
export async function leavesTheRest(scene: Scene, id: string, prepare: () => Promise<PreparedCall>): Promise<void> {
  const { run, rows } = scene
  const look = async () => {
    const { watched, act, isMeant } = await prepare()
    const before = await worldOf(run, rows, watched)
    await act()
    const after = await worldOf(run, rows, watched)
    const isExcused: IsExpected = (place, how) => isMeant(place, how) || !rows.isOwn(place)
    const isSure = differences(before, after, isExcused).length > 0
    return { watched, isSure, told: differences(before, after, isMeant) }
  }
  const first = await look().finally(() => putBack(scene))
  let { told } = first
  if (told.length > 0 && !first.isSure) {
    told = await look().then((again) => again.told, noneIfStopped)
    await putBack(scene)
    const moving = await movingPlaces(scene, first.watched)
    const before = new Set(first.told.map(({ key }) => key))
    if (moving.size > 0) told = told.filter(({ key }) => before.has(key) && !moving.has(key))
    const [once] = first.told.filter(({ key }) => !moving.has(key))
    if (told.length === 0 && once) run.results.couldNot(id, once.key, 'it changed once, which may be another client')
  }
  const expected = `nothing changed but what ${id} names`
  const got = told.slice(0, 3).map(({ text }) => text)
  scene.check('others_untouched', id, told.length === 0, expected, got.join('; '))
}

/** The places that were seen to change without a call. */
async function movingPlaces({ run, rows }: Scene, watched: MoreRows | undefined): Promise<Set<string>> {
  let before = await worldOf(run, rows, watched)
  for (let look = 0; look < idle.looks && run.moving.size === 0; look++) {
    await realTime.sleep(idle.pause)
    const now = await worldOf(run, rows, watched)
    for (const { key } of differences(before, now)) run.moving.add(key)
    before = now
  }
  return run.moving
}

async function putBack(scene: Scene): Promise<void> {
  for (const undo of scene.undo.splice(0)) await undo()
}

function noneIfStopped(error: unknown): Difference[] {
  if (error instanceof Stopped) return []
  throw error
}
