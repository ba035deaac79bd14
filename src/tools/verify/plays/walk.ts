import { shrinking } from '../../../engine/control/scenarios/shrinking.js'
import type { Exchange } from '../calls/client.js'
import type { Input } from '../calls/request.js'
import { verdict } from '../judge.js'
import type { Check } from '../results.js'
import type { Run } from '../run.js'
import type { Play } from '../scene.js'

type Step = { act: 'create' } | { act: 'delete'; which: number } | { act: 'list' } | { act: 'search' }

interface Failure {
  check: Check
  id: string
  expected: string
  exchanges: Exchange[]
}

/** Rows that operations create, delete, list and search. */
export interface WalkedRows {
  /** Such as `session`. */
  name: string
  create: string
  /** The field of a new row with a text that lists and searches show. */
  text: string
  delete: string
  list: string
  search: string
  /** The input that searches for a word. Undefined if it is not known how to search. */
  searchFor: (run: Run, word: string) => Input | undefined
}

/** Creates, deletes, lists and searches rows in a random order from the seed. A failing walk is shortened. */
export function walkPlay<Of extends object>(title: string, rows: WalkedRows): Play<Of> {
  const operations = [rows.create, rows.list, rows.search, rows.delete]
  return {
    title,
    operations,
    mutating: true,
    async play({ run }) {
      const steps = Array.from({ length: 12 + run.settings.cases }, () => stepOf(run))
      const failure = (await walk(run, rows, steps)) && (await walk(run, rows, steps, 4))
      if (!failure) {
        for (const id of operations) run.results.held(id, 'ensure_resource_availability')
        return
      }
      const shortest = await shrunk(steps, async (some) => (await walk(run, rows, some))?.check === failure.check)
      const { check, id, expected, exchanges } = (await walk(run, rows, shortest)) ?? failure
      const last = exchanges.at(-1) as Exchange
      const blamed = { ...last, call: { ...last.call, operation: run.operation(id) } }
      const before = exchanges.slice(0, -1).map((exchange) => exchange.curl)
      verdict(run, blamed, check, false, expected, { title, before })
    }
  }
}

function stepOf({ random }: Run): Step {
  const act = random.pick(['create', 'create', 'delete', 'list', 'search'] as const)
  return act === 'delete' ? { act, which: random.next(8) } : { act }
}

/**
 * Repeats the steps with new rows. Other failures on the way are found by other checks. A search may find changes later, so
 * it is repeated up to `repeats` times.
 */
async function walk(run: Run, rows: WalkedRows, steps: readonly Step[], repeats = 0): Promise<Failure | undefined> {
  const word = run.mark('walk')
  const { makes } = run.api.operations[rows.create] ?? {}
  const [parameter = ''] = Object.keys(run.operation(rows.delete).input.path?.properties ?? {})
  const alive: string[] = []
  const dead: string[] = []
  const exchanges: Exchange[] = []
  const ask = async (id: string, input: Input) => {
    const exchange = await run.ask(id, input)
    exchanges.push(exchange)
    return exchange.reply
  }
  const failed = (check: Check, id: string, expected: string) => ({ check, id, expected, exchanges })
  for (const step of steps) {
    if (step.act === 'create') {
      const { status, body } = await ask(rows.create, { body: { [rows.text]: `${word} ${alive.length}` } })
      const [id] = makes?.ids(body, {}) ?? []
      if (status >= 300 || typeof id !== 'string') return undefined
      if ([...alive, ...dead].includes(id)) {
        return failed('unique_rows', rows.create, `an id that no ${rows.name} has`)
      }
      alive.push(id)
    } else if (step.act === 'delete') {
      const [id] = alive.splice(step.which % Math.max(alive.length, 1), 1)
      if (id === undefined) continue
      const { status } = await ask(rows.delete, { path: { [parameter]: id } })
      if (status >= 300) return failed('ensure_resource_availability', rows.delete, 'a success')
      dead.push(id)
    } else {
      const isList = step.act === 'list'
      const [id, input] = isList ? [rows.list, {}] : [rows.search, rows.searchFor(run, word)]
      if (input === undefined) continue
      for (let look = 0; ; look++) {
        const { status, body } = await ask(id, input)
        if (status >= 300) return undefined
        const text = JSON.stringify(body).toLowerCase()
        const lost = alive.slice(-5).find((it) => !text.includes(it.toLowerCase()))
        const risen = dead.find((it) => text.includes(it.toLowerCase()))
        if (!lost && !risen) break
        if (!isList && look < repeats) await run.bounds.time.sleep(500)
        else if (lost) return failed('ensure_resource_availability', id, `the ${rows.name} ${lost}`)
        else return failed('use_after_free', id, `no ${rows.name} ${risen}: it is deleted`)
      }
    }
  }
  return undefined
}

/** Leaves out steps that a failure does not need. */
export async function shrunk<T>(
  steps: readonly T[],
  fails: (steps: readonly T[]) => Promise<boolean>
): Promise<readonly T[]> {
  const tries = shrinking(steps)
  let next = tries.next()
  while (!next.done) next = tries.next(await fails(next.value))
  return next.value
}
