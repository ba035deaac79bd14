import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { types } from 'node:util'
import { type Fixtures, type From, fixtureSets, Maker, type Seeded } from '../../../../fixtures/index.js'
import { createContract } from '../../../engine/contract/contract.js'
import { isObject, type JsonObject, readJson, shown } from '../../../engine/contract/load.js'
import { checkNames } from '../../../engine/contract/nearest.js'
import { once } from '../../../engine/contract/once.js'
import { Invalid } from '../../../engine/contract/pydantic/explain.js'
import type { ReplaceStateInput } from '../../../engine/contract/types.gen.js'
import { takeState } from '../../../engine/control/state/take-state.js'
import { Clock, timestamp } from '../../../engine/sandbox/clock.js'
import { Ids } from '../../../engine/sandbox/ids.js'
import { rowsOf } from '../../../engine/sandbox/sandbox.js'
import { type ChoiceOptions, type Definitions, startChoices } from '../../../engine/sandbox/starts.js'
import type { RowsIn } from '../../../engine/store/rows.js'
import type { Steps } from '../../../engine/store/steps.js'
import { startTable } from '../../options/mock-table.js'
import { loadAll, loadNow, type ModuleLoader } from '../../with/modules.js'
import { checkedBody } from '../option-files.js'

export interface FixtureFile {
  file: string
  name: string
  digest: string
  set: Fixtures
}

const fields = ['extends', 'collections', 'stored', 'fixtures', 'seed', 'now', 'ids']

/** The file that the option names, or undefined for a built-in set. Throws an Error that names the file. */
export function readFixtureFile(option: string): FixtureFile | undefined {
  return isFile(option) ? withFile(option, () => ownOf(option, loadNow)) : undefined
}

/** Reads a changed file. A module is imported once per address, so it gets a new one. */
export async function readChangedFixtures(option: string): Promise<FixtureFile | undefined> {
  if (!isFile(option)) return undefined
  const file = resolve(option)
  const load = await loadAll(file.endsWith('.json') ? [] : [file]).catch((error) => {
    throw inFile(file, error)
  })
  return withFile(option, () => ownOf(option, load))
}

/** Whether the option names a file rather than a set. */
export function isFile(option: string): boolean {
  return !(fixtureSets as readonly string[]).includes(option)
}

function ownOf(option: string, load: ModuleLoader): FixtureFile {
  const file = resolve(option)
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex')
  const read: unknown = file.endsWith('.json') ? readJson(file) : load(file)
  const exported = isObject(read) && 'default' in read ? read.default : read
  const set: unknown = typeof exported === 'function' ? { collections: exported } : exported
  if (!isObject(set)) throw new Error('it must export an object: { collections }')
  checkNames(set, fields, 'field')
  const { extends: base, now } = set as unknown as Fixtures
  if (base !== undefined && isFile(base)) throw new Error(`extends is ${base}: give one of ${fixtureSets.join(', ')}.`)
  const { is: time } = startTable.now
  if (now !== undefined && time.read(now) === undefined) throw new Error(`now is ${now}: give ${time.wanted}.`)
  const short = basename(file, extname(file))
  return { file, name: isFile(short) ? short : basename(file), digest, set: set as unknown as Fixtures }
}

function collectionsOf({ collections }: Fixtures, make: Maker, base: Seeded): Lists {
  const lists: unknown = typeof collections === 'function' ? collections(make, base) : collections
  if (types.isPromise(lists)) {
    // A rejected promise without a handler would end the process.
    lists.catch(() => {})
    throw new Error('collections returns a promise: it must return the rows themselves')
  }
  if (String(lists) !== '[object Object]') throw new Error('collections must be an object of lists of rows')
  return lists as Lists
}

/** Options with the file's name and time, unless they set these themselves. */
export function startOptions<O extends { fixtures: string; now?: string }>(
  options: O,
  fixtureFile: FixtureFile | undefined
): O {
  return fixtureFile ? { ...options, fixtures: fixtureFile.name, now: options.now ?? fixtureFile.set.now } : options
}

/** Definitions that include the user's own set. It is checked like a loaded state. */
export function withFixtureFile(
  definitions: Definitions,
  fixtureFile: FixtureFile | undefined,
  options: ChoiceOptions
): Definitions {
  if (!fixtureFile) return definitions
  const { file, name, digest, set } = fixtureFile
  const { extends: _base, now: _now, ...state } = set
  const choices = once(() => startChoices(definitions, options))
  const contract = once(() =>
    createContract(definitions.documents, choices(), definitions.extensions.documents, definitions.api)
  )

  function* ownRows(from: From): Steps<RowsIn> {
    const { seed, now } = from
    const base = set.extends === undefined ? {} : yield* definitions.seeding(set.extends, from)
    const collections = collectionsOf(set, new Maker(seed, now), base as Seeded)
    const body = { ...state, collections } as ReplaceStateInput['body']
    checkedBody(contract(), 'replaceState', body)
    const at = { choices: choices(), ids: new Ids(seed), clock: new Clock({ now, speed: 0 }) }
    const whole = { ...body, collections: joined(collections, base as Lists), seed, now: timestamp(now) }
    return rowsOf((yield* takeState(contract(), whole, at)).rows)
  }

  return {
    ...definitions,
    sets: [...definitions.sets, name],
    fileSet: { name, counters: set.ids },
    code: [...definitions.code, digest],
    *seeding(setName, from) {
      if (setName !== name) return yield* definitions.seeding(setName, from)
      try {
        return yield* ownRows(from)
      } catch (error) {
        throw inFile(file, error)
      }
    }
  }
}

type Lists = Record<string, JsonObject[]>

/** The rows of the file, plus the other set's rows with other ids. */
function joined(lists: Lists, base: Lists): Lists {
  const names = new Set([...Object.keys(base), ...Object.keys(lists)])
  return Object.fromEntries(
    [...names].map((name) => {
      const rows = lists[name] ?? []
      const ids = new Set(rows.map((row) => row?.id))
      const others = Object.hasOwn(base, name) ? (base[name] as JsonObject[]) : []
      return [name, [...rows, ...others.filter(({ id }) => !ids.has(id))]]
    })
  )
}

/** Adds the file and the place in it to an error. */
function withFile<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw inFile(file, error)
  }
}

function inFile(file: string, error: unknown): Error {
  const problems = error instanceof Invalid ? error.problems : []
  const [first] = problems
  const name = shown(resolve(file))
  const message = first ? `${first.loc.slice(1).join('.')}: ${first.msg}` : String((error as Error)?.message ?? error)
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  return new Error(`fixtures (--fixtures) ${message.startsWith(name) ? '' : `${name}: `}${message}${more}`)
}
