import type { Exchange } from '../../calls/client.js'
import { realTime } from '../../calls/patience.js'
import type { Check } from '../../checks.js'
import { verdict } from '../../judge.js'
import type { Run } from '../../run.js'
import { changing, type Play } from './scene.js'

type Step = { act: 'create' } | { act: 'delete'; which: number } | { act: 'list' } | { act: 'search' }

interface Failure {
  check: Check
  id: string
  expected: string
  exchanges: Exchange[]
}

/** Creates, deletes, lists and searches sessions in a random order from the seed. A failing walk is shortened. */
export const walkPlay: Play = changing(
  'chat sessions in a random order of calls',
  ['createChatSession', 'listChatSessions', 'searchChats', 'deleteChatSession'],
  async ({ run, title }) => {
    const steps = Array.from({ length: 12 + run.settings.cases }, () => stepOf(run))
    const failure = (await walk(run, steps)) && (await walk(run, steps, 4))
    if (!failure) {
      for (const id of walkPlay.operations) run.results.held(id, 'ensure_resource_availability')
      return
    }
    const shortest = await shrunk(steps, async (some) => (await walk(run, some))?.check === failure.check)
    const { check, id, expected, exchanges } = (await walk(run, shortest)) ?? failure
    const last = exchanges.at(-1) as Exchange
    const blamed = { ...last, call: { ...last.call, operation: run.operation(id) } }
    const before = exchanges.slice(0, -1).map((exchange) => exchange.curl)
    verdict(run, blamed, check, false, expected, { title, before })
  }
)

function stepOf({ random }: Run): Step {
  const act = random.pick(['create', 'create', 'delete', 'list', 'search'] as const)
  return act === 'delete' ? { act, which: random.next(8) } : { act }
}

/**
 * Repeats the steps with new sessions. Other failures on the way are found by other checks. A search may find changes later, so
 * it is repeated up to `repeats` times.
 */
async function walk(run: Run, steps: Step[], repeats = 0): Promise<Failure | undefined> {
  const word = run.mark('walk')
  const alive: string[] = []
  const dead: string[] = []
  const exchanges: Exchange[] = []
  const ask = async (...args: Parameters<Run['ask']>) => {
    const exchange = await run.ask(...args)
    exchanges.push(exchange)
    return exchange.reply
  }
  for (const step of steps) {
    if (step.act === 'create') {
      const { status, body } = await ask('createChatSession', { body: { description: `${word} ${alive.length}` } })
      const id = (body as { chat_session_id?: unknown } | undefined)?.chat_session_id
      if (status >= 300 || typeof id !== 'string') return undefined
      if (alive.includes(id) || dead.includes(id)) {
        return { check: 'unique_rows', id: 'createChatSession', expected: 'an id that no session has', exchanges }
      }
      alive.push(id)
    } else if (step.act === 'delete') {
      const [id] = alive.splice(step.which % Math.max(alive.length, 1), 1)
      if (id === undefined) continue
      const { status } = await ask('deleteChatSession', { path: { session_id: id } })
      if (status >= 300)
        return { check: 'ensure_resource_availability', id: 'deleteChatSession', expected: 'a success', exchanges }
      dead.push(id)
    } else {
      const isList = step.act === 'list'
      const id = isList ? 'listChatSessions' : 'searchChats'
      const { query, size } = run.search ?? {}
      if (!isList && (query === undefined || !size)) continue
      for (let look = 0; ; look++) {
        const input = isList ? {} : { query: { [query as string]: word, [size as string]: 50 } }
        const { status, body } = await ask(id, input)
        if (status >= 300) return undefined
        const text = JSON.stringify(body).toLowerCase()
        const lost = alive.slice(-5).find((it) => !text.includes(it.toLowerCase()))
        const risen = dead.find((it) => text.includes(it.toLowerCase()))
        if (!lost && !risen) break
        if (!isList && look < repeats) await realTime.sleep(500)
        else if (lost) return { check: 'ensure_resource_availability', id, expected: `the session ${lost}`, exchanges }
        else return { check: 'use_after_free', id, expected: `no session ${risen}: it is deleted`, exchanges }
      }
    }
  }
  return undefined
}

/** Removes steps that a failure does not need: large parts first, then single steps. */
export async function shrunk<T>(steps: T[], fails: (steps: T[]) => Promise<boolean>): Promise<T[]> {
  let shortest = steps
  let size = Math.max(1, Math.floor(steps.length / 2))
  for (;;) {
    const before = shortest.length
    for (let at = 0; at < shortest.length; ) {
      const shorter = shortest.toSpliced(at, size)
      if (await fails(shorter)) shortest = shorter
      else at += size
    }
    if (size === 1 && shortest.length === before) return shortest
    size = Math.max(1, Math.floor(size / 2))
  }
}
