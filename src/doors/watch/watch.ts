import { existsSync, type FSWatcher, readdirSync, readFileSync, statSync, watch } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { clearTimeout, setTimeout } from 'node:timers'
import { readLedger } from '../../engine/contract/ledger.js'
import { contractsFolder, shown } from '../../engine/contract/load.js'
import { carryChoices, createEdition, type Edition } from '../../engine/ledger/edition.js'
import type { SettledServer } from '../options/table.js'
import { checkEdition, checkExtensions, definitionsOf } from '../program/edition/edition.js'
import { isFile, readChangedFixtures, startOptions, withFixtureFile } from '../program/edition/fixture-file.js'
import type { OpenMock } from '../program/open-mock.js'
import { isScenarioFile } from '../program/option-files.js'
import type { StateFile } from '../program/state-file.js'
import { loadAll } from '../with/modules.js'
import { readJoined } from '../with/references.js'
import { filesOf, modulesOf } from '../with/with.js'

/** Milliseconds without a change before files are read. Editors write a file in several steps. */
const quiet = 100

export interface Watch {
  close(): void
}

type Tell = (line: string) => void

/** Watches all files of a mock, and reads each again when it changes. `tell` gets one line for every reload. */
export function watchFiles(
  mock: OpenMock,
  options: SettledServer,
  stateFile: StateFile | undefined,
  tell: Tell
): Watch {
  const { overrides, scenario, data } = options
  const watches = [watchDefinitions(mock, options, tell)]
  if (overrides !== undefined)
    watches.push(watchFile(overrides, 'overrides', () => `overrides: ${mock.takeUpOverrides()}`, tell))
  if (scenario !== undefined && isScenarioFile(scenario))
    watches.push(watchFile(scenario, 'scenario', () => mock.playStartAgain().then(() => 'played again'), tell))
  if (stateFile && data !== undefined) watches.push(watchFile(data, 'state', () => stateFile.reload(), tell))
  return {
    close() {
      for (const it of watches) it.close()
    }
  }
}

/** Runs `reload` when nothing has changed for a moment, and never twice at once. */
class Reloads {
  private timer: NodeJS.Timeout | undefined
  private running = Promise.resolve()

  constructor(private readonly reload: () => Promise<void>) {}

  soon(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.running = this.running.then(this.reload)
    }, quiet)
  }

  stop(): void {
    clearTimeout(this.timer)
  }
}

/**
 * Reads a file again when it changes. `take` reads the whole file, or changes nothing. It returns its contents in a few words;
 * undefined: there was nothing to read.
 */
function watchFile(file: string, what: string, take: () => string | Promise<string | undefined>, tell: Tell): Watch {
  const reloads = new Reloads(async () => {
    try {
      const contents = await take()
      if (contents !== undefined) tell(`reloaded ${shown(file)} (${contents})`)
    } catch (error) {
      tell(`kept the old ${what}: ${(error as Error).message}`)
    }
  })
  // An editor may replace the file, so its folder is watched.
  const watcher = watch(dirname(resolve(file)), (_, name) => {
    if (name === null || name === basename(file)) reloads.soon()
  })
  watcher.on('error', (error) => tell(`${shown(file)} is no longer watched: ${error.message}`))
  return {
    close() {
      reloads.stop()
      watcher.close()
    }
  }
}

/** Reloads contracts, ledger and the user's own files: all of them, or none if one is broken. */
function watchDefinitions(mock: OpenMock, options: SettledServer, tell: Tell): Watch {
  const { contracts = contractsFolder, api } = options
  const needed = readLedger()
  const set = isFile(options.fixtures) ? [resolve(options.fixtures)] : []
  const documents = [...options.with, ...(api === undefined ? [] : [api])].filter((it) => typeof it === 'string')
  // The files that documents refer to. They stay while a document is broken.
  const referred = new Set<string>()
  const read = () => {
    for (const path of documents) noteReferred(path, referred)
    return readSources([
      [contracts, /^(?!\.|contract\.schema\.json).*\.json$/],
      ...[...set, ...documents, ...referred].map((path) => [path, /\.(json|ya?ml|[cm]?[jt]s)$/] as const)
    ])
  }
  let sources = read()
  let tried = sources
  let isClosed = false

  const reload = async (): Promise<void> => {
    if (isClosed) return
    const now = read()
    watchFolders(now)
    if (changedFiles(tried, now).length === 0) return
    tried = now
    const changed = changedFiles(sources, now)
    if (changed.length === 0) return tell('nothing changed since the last reload')
    mock.adopt(await makeEdition(mock.edition))
    sources = now
    const problem = await mock.playStartAgain().catch((error: Error) => error.message)
    const hasRows = changed.some((file) => set.includes(file) || basename(file).startsWith('fixtures.'))
    tell(`reloaded ${changed.map(shown).join(', ')}${hasRows ? ': a reset shows the new rows' : ''}`)
    if (problem !== undefined) tell(`kept the old scenario: ${problem}`)
  }

  const makeEdition = async (before: Edition): Promise<Edition> => {
    const fixtureFile = await readChangedFixtures(options.fixtures)
    const load = await loadAll(modulesOf(options.with, api), true)
    const definitions = definitionsOf({ ...options, contracts }, tell, load)
    const next = createEdition(
      withFixtureFile(definitions, fixtureFile, options),
      startOptions(options, fixtureFile),
      mock.realTime
    )
    for (const routerOf of next.extensions.routes) routerOf()
    const inForce = mock.sandboxes.list().map(({ choices }) => carryChoices(choices, before, next))
    // The ledger of a document is its own, and reading it has checked it.
    if (api === undefined) checkEdition(next, { folder: contracts, needed, inForce })
    checkExtensions(next)
    if (fixtureFile) next.startOf()
    return next
  }

  const reloads = new Reloads(() =>
    reload().catch((error: Error) => tell(`kept the old contracts, assumptions and fixtures: ${error.message}`))
  )
  // Each folder is watched separately, because a recursive watch misses files that were replaced.
  const watchers = new Map<string, FSWatcher>()
  const watchFolders = ({ folders }: Sources): void => {
    for (const [folder, watcher] of watchers) {
      if (folders.has(folder)) continue
      watcher.close()
      watchers.delete(folder)
    }
    const soon = () => reloads.soon()
    for (const folder of folders) {
      if (!watchers.has(folder)) watchers.set(folder, watch(folder, soon).on('error', soon))
    }
  }
  watchFolders(sources)
  return {
    close() {
      reloads.stop()
      isClosed = true
      for (const watcher of watchers.values()) watcher.close()
    }
  }
}

function noteReferred(path: string, referred: Set<string>): void {
  if (!existsSync(path)) return
  try {
    const { document, overlay } = filesOf(path)
    // The files of a folder are watched anyway.
    if (document === undefined || (overlay === undefined && statSync(path).isDirectory())) return
    referred.add(document)
    readJoined(document, referred)
  } catch {
    // The reload reports the error.
  }
}

interface Sources {
  texts: Map<string, string>
  /** Editors replace files, so their folders are watched. */
  folders: Set<string>
}

/** Reads files, and those with certain names in folders. */
function readSources(paths: (readonly [path: string, names: RegExp])[]): Sources {
  const texts = new Map<string, string>()
  const folders = new Set<string>()
  for (const [path, names] of paths) {
    if (!existsSync(path)) continue
    const isFolder = statSync(path).isDirectory()
    for (const folder of isFolder ? foldersIn(path) : [dirname(path)]) {
      folders.add(folder)
      const files = isFolder ? readdirSync(folder).filter((it) => names.test(it)) : [basename(path)]
      for (const file of files) texts.set(join(folder, file), readFileSync(join(folder, file), 'utf8'))
    }
  }
  return { texts, folders }
}

/** A folder and its subfolders, except packages and hidden ones. */
function foldersIn(folder: string): string[] {
  const inside = readdirSync(folder, { withFileTypes: true }).filter(
    (it) => it.isDirectory() && it.name !== 'node_modules' && !it.name.startsWith('.')
  )
  return [folder, ...inside.flatMap(({ name }) => foldersIn(join(folder, name)))]
}

function changedFiles({ texts: before }: Sources, { texts: after }: Sources): string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort()
}
