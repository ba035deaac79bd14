import { isReading, type Operation } from '../../../engine/contract/model.js'
import { Stopped } from '../calls/patience.js'
import type { KnownRows } from '../rows.js'
import type { Run } from '../run.js'
import { effectPlays } from './any/effects.js'
import { fieldPlays } from './any/fields.js'
import { foreignPlays, otherPlays, trespassPlays } from './any/others.js'
import { racePlays } from './any/races.js'
import { readingPlay } from './any/reading.js'
import { refusalPlays } from './any/refusals.js'
import { type Play, Scene } from './any/scene.js'
import { shownPlay } from './any/shown.js'
import { walkPlay } from './any/walk.js'
import { chatPlays } from './chat.js'
import { credentialPlays } from './credentials.js'
import { deletionPlays } from './deletions.js'
import { editablePlays } from './editable.js'
import { fileDeletionPlays, filePlays } from './files.js'
import { indexingFilterPlays, indexingPlays } from './indexing.js'
import { invitePlays } from './invites.js'
import { pairingPlays } from './pairing.js'
import { personaPlays } from './personas.js'
import { projectPlays } from './projects.js'
import { searchPlays } from './search.js'

/** All plays in order. Plays that delete rows come last. */
const plays: Play[] = [
  ...chatPlays,
  ...searchPlays,
  walkPlay,
  shownPlay,
  ...credentialPlays,
  ...editablePlays,
  ...pairingPlays,
  ...projectPlays,
  ...indexingPlays,
  ...indexingFilterPlays,
  ...otherPlays,
  ...invitePlays,
  ...personaPlays,
  ...fieldPlays,
  ...racePlays,
  ...filePlays,
  ...fileDeletionPlays,
  ...deletionPlays
]

/** Plays that need unchanged rows, because some faults show only once. */
export function playEffects(run: Run, rows: KnownRows): Promise<void> {
  return playAll(run, rows, [readingPlay, ...effectPlays, ...refusalPlays])
}

/** All other plays for the chosen operations. */
export async function playScenes(run: Run, rows: KnownRows): Promise<void> {
  const { userToken } = run.settings
  const foreign = [...foreignPlays, ...trespassPlays]
  // The last plays delete rows, so other users' rows come first.
  await playAll(run, rows, [...(userToken === undefined ? [] : foreign), ...plays])
  if (userToken !== undefined) return
  for (const play of foreign) {
    for (const id of play.operations) run.results.leftOut(id, play.title, 'it takes a second user: see --user-token')
  }
}

async function playAll(run: Run, rows: KnownRows, all: Play[]): Promise<void> {
  for (const play of all) {
    const chosen = play.operations.filter((id) => run.results.isChosen(id))
    if (chosen.length === 0) continue
    if (play.mutating && !run.settings.mutating) {
      for (const id of chosen) run.results.leftOut(id, play.title, 'it changes something: see --mutating')
      continue
    }
    await perform(run, rows, play)
  }
}

async function perform(run: Run, rows: KnownRows, play: Play): Promise<void> {
  const scene = new Scene(run, rows, play.title)
  const tell = (error: unknown) => {
    if (!(error instanceof Stopped)) throw error
    if (error.message)
      for (const id of play.operations) run.results.couldNot(id, play.title, error.message, error.isLost)
  }
  const done = () => {
    for (const id of play.operations) run.results.did(id)
  }
  await play.play(scene).then(done, tell)
  for (const undo of scene.undo) await undo().catch(tell)
}

/** Reports that operations which change something were not called. */
export function leaveOut(run: Run, operations: Operation[]): void {
  for (const operation of operations) {
    if (isReading(operation) || run.settings.mutating) continue
    run.results.leftOut(operation.id, 'all but its place', 'it changes something: see --mutating')
  }
}
