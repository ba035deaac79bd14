import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Fixtures, From, Seeded } from '../../../fixtures/index.js'
import { fixtureSets, Maker } from '../../../fixtures/index.js'
import { createContract } from '../../contract/contract.js'
import { lazily } from '../../contract/lazy.js'
import { isObject, type Json, type JsonObject, shown } from '../../contract/load.js'
import { checkNames } from '../../contract/nearest.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import type { Definitions } from '../../mock/ledger/edition.js'
import { Clock, timestamp } from '../../mock/sandbox/clock.js'
import { Ids } from '../../mock/sandbox/ids.js'
import { once } from '../../mock/sandbox/once.js'
import { rowsOf } from '../../mock/sandbox/sandbox.js'
import { type ChoiceOptions, startChoices } from '../../mock/sandbox/starts.js'
import { takeState } from '../../rules/control/state/take-state.js'
import type { Steps } from '../../store/steps.js'

/** A file of fixtures, as it is now. */
export interface OwnFixtures {
  file: string
  name: string
  digest: string
  set: Fixtures
}

const fields = ['extends', 'collections', 'stored', 'fixtures', 'seed', 'now', 'ids']

/** The file that the option names; undefined where it names a set. Throws an Error that names the file. */
export function readOwnFixtures(option: string): OwnFixtures | undefined {
  return isFile(option) ? told(option, () => ownOf(option, (file) => lazily(file))) : undefined
}

/** The same once the file has changed: a module is loaded by another address, since each is loaded once. */
export async function readChangedFixtures(option: string): Promise<OwnFixtures | undefined> {
  if (!isFile(option)) return undefined
  const file = resolve(option)
  const load = async () =>
    file.endsWith('.json') ? undefined : await import(`${pathToFileURL(file)}?${digestOf(file)}`)
  const read = await load().catch((error: Error) =>
    told(option, () => {
      throw error
    })
  )
  return told(option, () => ownOf(option, () => read))
}

/** Whether the option names a file, and not one of the sets. */
export function isFile(option: string): boolean {
  return !(fixtureSets as readonly string[]).includes(option)
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

function ownOf(option: string, load: (file: string) => unknown): OwnFixtures {
  const file = resolve(option)
  const digest = digestOf(file)
  const read = file.endsWith('.json') ? JSON.parse(readFileSync(file, 'utf8')) : load(file)
  const exported = (read as { default?: unknown }).default ?? read
  const set = typeof exported === 'function' ? { collections: exported } : exported
  if (!isObject(set as Json)) throw new Error('it holds no object: give { collections }')
  checkNames(set as object, fields)
  const { extends: base, collections } = set as Fixtures
  if (base !== undefined && isFile(base)) throw new Error(`extends is ${base}: give one of ${fixtureSets.join(', ')}.`)
  if (typeof collections !== 'function') checkLists(collections)
  const short = basename(file, extname(file))
  return { file, name: isFile(short) ? short : basename(file), digest, set: set as Fixtures }
}

function checkLists(collections: unknown): void {
  if (!isObject(collections as Json)) throw new Error('collections is no object of lists of rows')
  const [wrong] = Object.entries(collections as object).find(([, rows]) => !Array.isArray(rows)) ?? []
  if (wrong !== undefined) throw new Error(`collections.${wrong} is no list of rows`)
}

/** The options with what the file says of its start: its name, and the time, where they give none. */
export function startOptions<O extends { fixtures: string; now?: string }>(
  options: O,
  own: OwnFixtures | undefined
): O {
  if (!own) return options
  const now = options.now ?? own.set.now
  return { ...options, fixtures: own.name, ...(now !== undefined && { now }) }
}

/** Definitions that have the user's own set, too. It is made and checked as a state that is put in. */
export function withOwnFixtures(
  definitions: Definitions,
  own: OwnFixtures | undefined,
  options: ChoiceOptions
): Definitions {
  if (!own) return definitions
  const { file, name, digest, set } = own
  const choices = once(() => startChoices(definitions, options))
  const contract = once(() => createContract(definitions.documents, choices(), definitions.beside.documents))

  function* ownRows(from: From): Steps<Seeded> {
    const { seed, now } = from
    const base = set.extends === undefined ? {} : yield* definitions.seeding(set.extends, from)
    const given = typeof set.collections === 'function' ? set.collections(new Maker(seed, now), base) : set.collections
    checkLists(given)
    const body = {
      collections: joined(given as Lists, base as Lists),
      stored: set.stored as never,
      ...(set.ids && { ids: set.ids })
    }
    const at = { choices: choices(), ids: new Ids(seed), clock: new Clock({ now, speed: 0 }) }
    return rowsOf((yield* takeState(contract(), { ...body, now: timestamp(now) }, at)).rows)
  }

  return {
    ...definitions,
    sets: [...definitions.sets, name],
    own: { name, counters: set.ids },
    code: [...definitions.code, digest],
    *seeding(wanted, from) {
      if (wanted !== name) return yield* definitions.seeding(wanted, from)
      const rows = told(file, () => ownRows(from))
      for (;;) {
        const { done, value } = told(file, () => rows.next())
        if (done) return value
        yield
      }
    }
  }
}

type Lists = Record<string, JsonObject[]>

/** Rows of the own set, and those of the other one whose ids it does not have. */
function joined(own: Lists, base: Lists): Lists {
  const names = new Set([...Object.keys(base), ...Object.keys(own)])
  return Object.fromEntries(
    [...names].map((name) => {
      const rows = own[name] ?? []
      const ids = new Set(rows.map((row) => row?.id))
      return [name, [...rows, ...(base[name] ?? []).filter(({ id }) => !ids.has(id))]]
    })
  )
}

/** What fails is told with the file, and the place in it. */
function told<T>(file: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    const problems = error instanceof Invalid ? error.problems : []
    const [first] = problems
    if (!first) throw new Error(`fixtures (--fixtures) ${shown(resolve(file))}: ${(error as Error).message}`)
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
    throw new Error(
      `fixtures (--fixtures) ${shown(resolve(file))}: ${first.loc.slice(1).join('.')}: ${first.msg}${more}`
    )
  }
}
