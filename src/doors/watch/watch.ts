import { existsSync, type FSWatcher, statSync, watch } from 'node:fs'
import { resolve } from 'node:path'
import { clearTimeout, setTimeout } from 'node:timers'
import { factoryOf, seeding } from '../../../fixtures/index.js'
import { readLedger } from '../../contract/ledger.js'
import { contractsFolder } from '../../contract/load.js'
import { carryChoices, createEdition, type Definitions, type Edition } from '../../mock/ledger/edition.js'
import type { StartOptions } from '../../mock/sandbox/starts.js'
import { checkEdition } from '../program/edition/check-edition.js'
import { checkFixtures, checkOwnRows } from '../program/edition/check-fixtures.js'
import { definitionsOf } from '../program/edition/definitions.js'
import { isFile, readChangedFixtures, startOptions, withOwnFixtures } from '../program/edition/own-fixtures.js'
import type { OpenMock } from '../program/mock.js'
import { loadAll } from '../with/modules.js'
import { readJoined } from '../with/references.js'
import { modulesOf, type WithSource } from '../with/with.js'
import { difference } from './difference.js'
import { buildFixtures } from './fixtures.js'
import { changedFiles, fixturesFolder, foldersOf, readSources } from './sources.js'

/** Milliseconds without a change before files are read. Editors write a file in several steps. */
export const quiet = 100

/** A watch on the files that a mock is made of. */
export interface Watch {
  close(): void
}

interface WatchOptions extends StartOptions {
  contracts?: string
  with?: readonly WithSource[]
}

/**
 * Reloads contracts, ledger and, in a checkout, fixtures when they change: all of them, or nothing if something is
 * broken. State, clocks and journals stay the same. `tell` gets one line for every reload.
 */
export function watchDefinitions(mock: OpenMock, options: WatchOptions, tell: (line: string) => void): Watch {
  const contracts = options.contracts ?? contractsFolder
  const fixtures = fixturesFolder()
  // The ledger that the running rules need.
  const needed = readLedger()
  const set = isFile(options.fixtures) ? [resolve(options.fixtures)] : []
  const beside = (options.with ?? []).filter((it): it is string => typeof it === 'string')
  // The files that documents refer to. They stay while a document is broken.
  const referred = new Set<string>()
  const own = () => {
    for (const path of beside) noteReferred(path, referred)
    return [...set, ...beside, ...referred]
  }
  const read = () => readSources(contracts, fixtures, own())
  let taken = read()
  let tried = taken
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let isClosed = false
  // The fixtures' code in force.
  let built: Pick<Definitions, 'seeding' | 'factoryOf' | 'code'> = { seeding, factoryOf, code: [] }

  const reload = async (): Promise<void> => {
    if (isClosed) return
    watchFolders()
    const now = read()
    if (changedFiles(tried, now).length === 0) return
    tried = now
    const changed = changedFiles(taken, now)
    if (changed.length === 0) return tell('nothing changed since the last reload')
    const before = mock.edition
    const next = await makeEdition(
      before,
      changed.some((file) => fixtures !== undefined && file.startsWith(fixtures))
    )
    mock.adopt(next)
    taken = now
    const problem = await mock.playStartAgain().catch((error: Error) => error.message)
    tell(`reloaded ${difference(before, next, changed, contracts)}`)
    if (problem !== undefined) tell(`kept the old scenario: ${problem}`)
  }

  const makeEdition = async (before: Edition, isOtherCode: boolean): Promise<Edition> => {
    const own = await readChangedFixtures(options.fixtures)
    const code = isOtherCode && fixtures ? await buildFixtures(fixtures) : built
    const load = await loadAll(modulesOf(beside), true)
    const definitions = { ...definitionsOf({ contracts, with: options.with ?? [] }, tell, load), ...code }
    const next = createEdition(withOwnFixtures(definitions, own, options), startOptions(options, own), mock.realTime)
    for (const routerOf of next.beside.routes) routerOf()
    const inForce = mock.sandboxes.list().map(({ choices }) => carryChoices(choices, before, next))
    checkEdition(next, { folder: contracts, needed, inForce })
    checkOwnRows(next)
    if (isOtherCode && fixtures) checkFixtures(next, fixtures)
    else if (own) next.startOf()
    built = code
    return next
  }

  const schedule = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const attempt = () =>
        reload().catch((error: Error) => tell(`kept the old contracts, assumptions and fixtures: ${error.message}`))
      running = running.then(attempt)
    }, quiet)
  }

  // Each folder is watched by itself, because a recursive watch misses files that were replaced.
  const watchers = new Map<string, FSWatcher>()
  const watchFolders = (): void => {
    const folders = new Set(foldersOf(contracts, fixtures, own()))
    for (const [folder, watcher] of watchers) {
      if (folders.has(folder)) continue
      watcher.close()
      watchers.delete(folder)
    }
    for (const folder of folders) {
      if (!watchers.has(folder)) watchers.set(folder, watch(folder, schedule).on('error', schedule))
    }
  }
  watchFolders()
  return {
    close() {
      clearTimeout(timer)
      isClosed = true
      for (const watcher of watchers.values()) watcher.close()
    }
  }
}

function noteReferred(path: string, referred: Set<string>): void {
  // The files of a folder are watched anyway.
  if (!existsSync(path) || statSync(path).isDirectory()) return
  try {
    readJoined(path, referred)
  } catch {
    // The reload tells what is wrong.
  }
}
