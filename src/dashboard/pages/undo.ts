import { signal } from '@preact/signals'
import { type ControlId, call, changes, type Input, Refused, type Reply } from './client.js'
import { beforeUndo, say, sayFailed, shownLonger } from './parts/actions.js'
import { count } from './parts/text.js'
import { textOfCall } from './ribbon/events.js'
import { go, href, route } from './route.js'

/** Calls an operation that changes the sandbox, says what it did, and offers to undo it. */
export const undoable = beforeUndo(
  async <Id extends ControlId>(
    id: Id,
    input: Input<Id>,
    text: string | ((reply: Reply<Id>) => string)
  ): Promise<Reply<Id>> => {
    const { sandbox } = route.peek()
    // These change the sandbox in many steps.
    const isInSteps = id === 'playScenario' || id === 'nextScene'
    const begin = isInSteps ? (await call('getHistory', {}, sandbox)).latest : undefined
    const reply = await call(id, input, sandbox)
    changes.value += 1
    const { moments, latest } = await call('getHistory', {}, sandbox)
    const change =
      begin === undefined ? moments.findLast(({ operation }) => operation === id) : { id: latest, before: begin }
    const isWhole = begin !== undefined || (change !== undefined && !('changed' in change))
    const run = change && ((undone: string) => (isWhole ? restore : undo)(change, sandbox, undone))
    offerUndo(typeof text === 'string' ? text : text(reply), run)
    return reply
  }
)

/** Says what was done, and offers to undo it. `run` gets the words for that. */
export function offerUndo(text: string, run?: (undone: string) => Promise<void>): void {
  say(text, 'done', run && { verb: 'Undo', run: () => run(`Undone: “${text}”`) })
}

export async function playScenario(name: string): Promise<void> {
  const { sandbox } = route.peek()
  const text = ({ steps }: { steps: number }) => `${name} was played in ${sandbox}: ${count(steps, 'step')}.`
  await undoable('playScenario', { path: { name }, query: { keep_journal: true } }, text)
}

/** Calls that leave nothing to be undone, or that undo. */
const aside = ['undoChange', 'takeSnapshot', 'deleteSnapshot', 'clearRequests', 'restoreRequests']

/** Undoes the latest change, by any client, that is not undone yet. */
export async function undoLatest(): Promise<void> {
  const { sandbox } = route.peek()
  const { moments } = await call('getHistory', {}, sandbox)
  const undone = moments.filter(({ operation }) => operation === 'undoChange').map(({ of }) => of)
  const change = moments.findLast(({ id, operation }) => !undone.includes(id) && !aside.includes(operation))
  if (!change) return say('There is nothing to undo.')
  await ('changed' in change ? undo : restore)(change, sandbox, `Undone: ${textOfCall(change)}.`)
}

type Change = { id: string; before: string }

/** Undoes a change alone. If something else depends on it by now, it says so, and offers the whole state before it. */
async function undo(change: Change, sandbox: string, undone: string): Promise<void> {
  try {
    await call('undoChange', { path: { id: change.id } }, sandbox)
  } catch (error) {
    if (!(error instanceof Refused) || error.problem.status !== 409) throw error
    const [reason] = error.message.split('. ')
    const run = () => goBack(change, sandbox, undone)
    return say(`${reason}.`, 'failed', { verb: `Restore the whole state of ${sandbox}`, run })
  }
  say(undone)
}

/** Restores the state before a change that replaced it. If more has changed since, it asks first. */
async function restore(change: Change, sandbox: string, undone: string): Promise<void> {
  const { latest, moments } = await call('getHistory', {}, sandbox)
  const isBack = moments.some(({ id, operation, of }) => id === latest && operation === 'goBack' && of === change.id)
  const since = isBack ? 0 : Number(latest.slice(1)) - Number(change.id.slice(1))
  const run = () => goBack(change, sandbox, undone)
  if (since === 0) return run()
  const times = since === 1 ? 'Something has' : `${since} other things have`
  say(`${times} changed since, and would be lost.`, 'failed', { verb: `Restore the whole state of ${sandbox}`, run })
}

/** The whole state is as before a change, but the clock has run on. */
async function goBack({ before }: Change, sandbox: string, undone: string): Promise<void> {
  await call('goBack', { path: { id: before }, query: { elapsed: true } }, sandbox)
  say(undone)
}

/** Empties the journal, and offers to bring back its exchanges. Newer ones stay. */
export const emptyJournal = beforeUndo(async () => {
  const { sandbox } = route.peek()
  const { removed } = await call('clearRequests', {}, sandbox)
  if (removed === 0) return say('The journal is empty already.')
  offerUndo(`The journal is empty: ${count(removed, 'exchange')} removed.`, async () => {
    const { restored } = await call('restoreRequests', {}, sandbox)
    if (restored === removed) return say(`Undone: ${count(restored, 'exchange')} came back.`)
    say(`${count(restored, 'exchange')} of ${removed} came back. Newer ones have replaced the others.`, 'failed')
  })
})

/** Creates a sandbox, and offers to drop it again. If it has been used by then, that can be undone too. */
export const makeSandbox = beforeUndo(async (body: NonNullable<Input<'makeSandbox'>['body']>, done: string) => {
  const { name, from = 'default' } = body
  await deleteNow('dropSandbox', name)
  await call('makeSandbox', { body })
  changes.value += 1
  offerUndo(done, async (undone) => {
    const { sandbox, page } = route.peek()
    // Watching a sandbox creates it, so leave it first.
    if (sandbox === name) go(href(page, [], {}, from))
    const { requests } = await call('getSandbox', { path: { name } })
    if (requests > 0) return deleteLater('dropSandbox', name, `Sandbox ${name}`)
    await call('dropSandbox', { path: { name } })
    say(undone)
  })
})

type Deletion = 'dropSandbox' | 'deleteSnapshot'

type PendingDeletion = { key: string; run: () => Promise<void> }

const pending = signal<readonly PendingDeletion[]>([])
const keyOf = (id: Deletion, name: string) => (id === 'dropSandbox' ? name : `${route.peek().sandbox} ${name}`)
const find = (id: Deletion, name: string) => pending.value.find(({ key }) => key === keyOf(id, name))

/** Whether nothing of this name is about to be deleted, as a copy for a trial always is. Lists leave out items that are. */
export function isStaying(id: Deletion, name: string): boolean {
  return !find(id, name) && !name.startsWith('throw-away-')
}

/** Deletes something when the message about it disappears, so that the user can undo it until then. */
export function deleteLater(id: Deletion, name: string, what: string): void {
  const { sandbox } = route.peek()
  let isBegun = false
  const begin = () => {
    clearTimeout(timer)
    const isLate = isBegun
    isBegun = true
    return isLate
  }
  const forget = () => {
    pending.value = pending.peek().filter((it) => it !== deletion)
  }
  const deletion: PendingDeletion = {
    key: keyOf(id, name),
    run: async () => {
      if (!begin()) await call(id, { path: { name } }, sandbox).finally(forget)
    }
  }
  const timer = setTimeout(() => void deletion.run().catch(sayFailed), shownLonger)
  pending.value = [...pending.peek(), deletion]
  offerUndo(`${what} will be deleted in ${shownLonger / 1000} s.`, async () => {
    if (begin()) return say(`It is too late: ${what} was deleted.`, 'failed')
    forget()
    say(`Undone: ${what} stays.`)
  })
}

/** Deletes at once what will be deleted under this name, so that the name is free. */
export async function deleteNow(id: Deletion, name: string): Promise<void> {
  await find(id, name)?.run()
}

// A user who leaves the page cannot undo it any more.
addEventListener('pagehide', () => {
  for (const { run } of pending.peek()) void run().catch(() => {})
})

/** Does something in a sandbox that is dropped afterwards: a copy of another one, or a fresh one. */
export async function inThrowAway<T>(act: (sandbox: string) => Promise<T>, from?: string): Promise<T> {
  const name = `throw-away-${crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36)}`
  await call('makeSandbox', { body: { name, from } })
  try {
    return await act(name)
  } finally {
    await call('dropSandbox', { path: { name } })
  }
}
