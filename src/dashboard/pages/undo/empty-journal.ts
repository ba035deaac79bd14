import { call } from '../client.js'
import { count } from '../parts/text.js'
import { say } from '../parts/toasts.js'
import { route } from '../route.js'

/** Empties the journal, and offers to bring back its exchanges. Newer ones stay. */
export async function emptyJournal(): Promise<void> {
  const { sandbox } = route.peek()
  const { removed } = await call('clearRequests', {}, sandbox)
  if (removed === 0) return say('The journal is empty already.')
  const restore = async () => {
    const { restored } = await call('restoreRequests', {}, sandbox)
    if (restored === removed) return say('Undone.')
    say(
      `${count(restored, 'exchange')} of ${removed} came back. Newer ones have taken the room of the others.`,
      'failed'
    )
  }
  say(`The journal is empty: ${count(removed, 'exchange')} removed.`, 'done', { verb: 'Undo', run: restore })
}
