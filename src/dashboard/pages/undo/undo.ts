import type { Operations } from '../../../engine/contract/types.gen.js'
import { call, type Input } from '../client.js'
import { count } from '../parts/text.js'
import { say } from '../parts/toasts.js'
import { route } from '../route.js'

type Undoable =
  | 'goBack'
  | 'resetSandbox'
  | 'restoreSnapshot'
  | 'replaceState'
  | 'changeAssumptions'
  | 'setClock'
  | 'moveRow'
  | 'addRow'
  | 'changeRow'
  | 'replaceRow'
  | 'removeRow'
  | 'addOverride'
  | 'switchOverride'
  | 'deleteOverrides'
  | 'deleteOverride'
  | 'setWeather'
  | 'playScenario'
  | 'nextScene'

/** Operations that change the sandbox in many steps. */
const inSteps: readonly Undoable[] = ['playScenario', 'nextScene']

/** Calls an operation that changes the sandbox, says what it did, and offers to undo it. */
export async function undoable<Id extends Undoable>(
  id: Id,
  input: Input<Id>,
  text: string | ((reply: Operations[Id]['reply']) => string)
): Promise<Operations[Id]['reply']> {
  const { sandbox } = route.peek()
  const before = inSteps.includes(id) ? (await call('getHistory', {}, sandbox)).latest : undefined
  const reply = await call(id, input, sandbox)
  const done = typeof text === 'string' ? text : text(reply)
  const { moments, latest } = await call('getHistory', {}, sandbox)
  const own = before === undefined ? moments.findLast(({ operation }) => operation === id) : { id: latest, before }
  if (own) say(done, 'done', { verb: 'Undo', run: () => undo(own.id, own.before, sandbox) })
  else say(done)
  return reply
}

export async function playScenario(name: string): Promise<void> {
  const { sandbox } = route.peek()
  const text = ({ steps }: { steps: number }) => `${name} was played in ${sandbox}: ${count(steps, 'step')}.`
  await undoable('playScenario', { path: { name }, query: { keep_journal: true } }, text)
}

/** Goes back to the state before a change, but leaves the clock. If more has changed since, it asks first. */
async function undo(change: string, before: string, sandbox: string): Promise<void> {
  const goBack = async () => {
    await call('goBack', { path: { id: before }, query: { elapsed: true } }, sandbox)
    say('Undone.')
  }
  const { latest } = await call('getHistory', {}, sandbox)
  const since = Number(latest.slice(1)) - Number(change.slice(1))
  if (since === 0) return goBack()
  const times = since === 1 ? 'Something has' : `${since} other things have`
  say(`${times} changed since. Going back undoes that too.`, 'failed', { verb: 'Undo all of it', run: goBack })
}
