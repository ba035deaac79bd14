import { signal } from '@preact/signals'
import { call } from '../client.js'
import { say, sayFailed, shownLonger } from '../parts/toasts.js'
import { route } from '../route.js'

type Deletion = 'dropSandbox' | 'deleteSnapshot'

/** Something that will be deleted, or is being deleted. */
interface PendingDeletion {
  name: string
  run: () => Promise<void>
}

const leaving = signal<readonly PendingDeletion[]>([])

/** Whether nothing of this name is about to be deleted. Lists leave out items that are. */
export function isStaying(id: Deletion, name: string): boolean {
  return !leaving.value.some((it) => it.name === nameOf(id, name))
}

/** Deletes something when the message about it disappears, so that the user can undo it until then. */
export function deleteLater(id: Deletion, name: string, what: string): void {
  const { sandbox } = route.peek()
  let isBegun = false
  const own: PendingDeletion = {
    name: nameOf(id, name),
    run: async () => {
      if (isBegun) return
      isBegun = true
      clearTimeout(timer)
      await call(id, { path: { name } }, sandbox).finally(() => forget(own))
    }
  }
  const timer = setTimeout(() => void own.run().catch(sayFailed), shownLonger)
  leaving.value = [...leaving.peek(), own]
  say(`${what} will be deleted in ${shownLonger / 1000} s.`, 'done', {
    verb: 'Undo',
    run: async () => {
      if (isBegun) return say(`It is too late: ${what} was deleted.`, 'failed')
      isBegun = true
      clearTimeout(timer)
      forget(own)
      say('Undone.')
    }
  })
}

/** Deletes at once what will be deleted under this name, so that the name is free. */
export async function deleteNow(id: Deletion, name: string): Promise<void> {
  await leaving
    .peek()
    .find((it) => it.name === nameOf(id, name))
    ?.run()
}

function forget(own: PendingDeletion): void {
  leaving.value = leaving.peek().filter((it) => it !== own)
}

function nameOf(id: Deletion, name: string): string {
  return id === 'dropSandbox' ? name : `${route.peek().sandbox} ${name}`
}

// A user who leaves the page cannot undo it any more.
addEventListener('pagehide', () => {
  for (const { run } of leaving.peek()) void run().catch(() => {})
})
