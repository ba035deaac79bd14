import { createHash, randomUUID } from 'node:crypto'
import { existsSync, type FSWatcher, readdirSync, readFileSync, statSync, watch } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { clearTimeout, setTimeout } from 'node:timers'
import { pathToFileURL } from 'node:url'
import { readLedger } from '../../engine/contract/ledger.js'
import { contractsFolder, isObject, type Json, packageRoot, shown } from '../../engine/contract/load.js'
import { carryChoices, createEdition, type Edition } from '../../engine/ledger/edition.js'
import type { Definitions, StartOptions } from '../../engine/sandbox/starts.js'
import { checkEdition } from '../program/edition/check-edition.js'
import { checkExtensions, checkFixtures } from '../program/edition/check-fixtures.js'
import { definitionsOf } from '../program/edition/definitions.js'
import { isFile, readChangedFixtures, startOptions, withFixtureFile } from '../program/edition/fixture-file.js'
import type { OpenMock } from '../program/mock.js'
import { loadAll } from '../with/modules.js'
import { readJoined } from '../with/references.js'
import { modulesOf, type WithSource } from '../with/with.js'

/** Milliseconds without a change before files are read. Editors write a file in several steps. */
export const quiet = 100

/** A watch on the files of a mock. */
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
  let built: Pick<Definitions, 'seeding' | 'factoryOf' | 'code'> = {
    ...mock.edition.api.fixtures,
    code: []
  }

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
    const next = createEdition(withFixtureFile(definitions, own, options), startOptions(options, own), mock.realTime)
    for (const routerOf of next.beside.routes) routerOf()
    const inForce = mock.sandboxes.list().map(({ choices }) => carryChoices(choices, before, next))
    checkEdition(next, { folder: contracts, needed, inForce })
    checkExtensions(next)
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

  // Each folder is watched separately, because a recursive watch misses files that were replaced.
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
    // The reload reports the error.
  }
}

/**
 * The changes of a reload, in one line: `contracts/chat.json (changed searchChats; added SearchScope),
 * fixtures/users.ts`.
 */
function difference(before: Definitions, after: Definitions, files: string[], contracts: string): string {
  const texts = files.map((file) => {
    const name = basename(file)
    const isContract = dirname(file) === contracts
    const found = !isContract ? '' : changes(namesIn(before, name), namesIn(after, name))
    return found === '' ? shown(file) : `${shown(file)} (${found})`
  })
  return texts.join(', ')
}

/** The definitions in a file, by name: assumptions, or operations, schemas, collections and refusals. */
function namesIn({ documents, ledger }: Definitions, file: string): Map<string, string> {
  const named =
    file === 'assumptions.json'
      ? ledger.map((entry) => [entry.id, entry] as const)
      : Object.values(documents[file] ?? {}).flatMap((section: Json) =>
          isObject(section) ? Object.entries(section) : []
        )
  return new Map(named.map(([name, value]) => [name, JSON.stringify(value)]))
}

function changes(before: Map<string, string>, after: Map<string, string>): string {
  const kinds = {
    changed: [...after.keys()].filter((name) => before.has(name) && before.get(name) !== after.get(name)),
    added: [...after.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name))
  }
  return Object.entries(kinds)
    .filter(([, names]) => names.length > 0)
    .map(([kind, names]) => `${kind} ${names.join(', ')}`)
    .join('; ')
}

/** The text of every file of the mock, by path. */
type Sources = ReadonlyMap<string, string>

/** The folder of the fixtures' code. A checkout has it, an installed package does not. */
function fixturesFolder(): string | undefined {
  const folder = join(packageRoot(), 'fixtures')
  return existsSync(folder) ? folder : undefined
}

/** Reads contracts, ledger, the fixtures' code, and the user's own files and folders. */
function readSources(contracts: string, fixtures: string | undefined, own: readonly string[]): Sources {
  return new Map([
    ...textsIn([contracts], /^(?!\.|contract\.schema\.json).*\.json$/),
    ...(fixtures === undefined ? [] : textsIn(foldersIn(fixtures), /\.ts$/)),
    ...own.flatMap((path) =>
      !existsSync(path)
        ? []
        : statSync(path).isDirectory()
          ? textsIn(foldersIn(path), /\.(json|ya?ml|[cm]?[jt]s)$/)
          : [[path, readFileSync(path, 'utf8')] as const]
    )
  ])
}

/** The paths of files that were changed, added or removed. */
function changedFiles(before: Sources, after: Sources): string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort()
}

/** The folders with files of the mock. */
function foldersOf(contracts: string, fixtures: string | undefined, own: readonly string[]): string[] {
  const beside = own
    .filter((path) => existsSync(path))
    // Editors replace files, so a file's folder is watched.
    .flatMap((path) => (statSync(path).isDirectory() ? foldersIn(path) : [dirname(path)]))
  return [contracts, ...(fixtures === undefined ? [] : foldersIn(fixtures)), ...beside]
}

/** A folder and its subfolders, except packages and hidden ones. */
function foldersIn(folder: string): string[] {
  const inside = readdirSync(folder, { withFileTypes: true }).filter(
    (it) => it.isDirectory() && it.name !== 'node_modules' && !it.name.startsWith('.')
  )
  return [folder, ...inside.flatMap(({ name }) => foldersIn(join(folder, name)))]
}

function textsIn(folders: string[], names: RegExp): [string, string][] {
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => names.test(name))
      .map((name): [string, string] => [join(folder, name), readFileSync(join(folder, name), 'utf8')])
  )
}

/** Builds and loads the fixtures' code. Throws an Error that names file, line and column of a mistake. */
export async function buildFixtures(folder: string): Promise<Pick<Definitions, 'seeding' | 'factoryOf' | 'code'>> {
  const { build } = await import('esbuild').catch(() => {
    throw new Error(`${shown(folder)}: esbuild is needed to build fixtures and is not installed. Run npm ci.`)
  })
  // A module is imported once per name, so each build has its own name. It is where its packages can be found.
  const outfile = join(packageRoot(), 'dist', `fixtures-${randomUUID()}.mjs`)
  try {
    await build({
      entryPoints: [join(folder, 'index.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'silent'
    })
    const { seeding, factoryOf } = (await import(pathToFileURL(outfile).href)) as Definitions
    return {
      seeding,
      factoryOf,
      code: [
        createHash('sha256')
          .update(await readFile(outfile))
          .digest('hex')
      ]
    }
  } catch (error) {
    const [first] = (error as { errors?: BuildError[] }).errors ?? []
    if (!first?.location) throw new Error(`${shown(folder)}: ${(error as Error).message}`)
    const { file, line, column } = first.location
    throw new Error(`${shown(join(process.cwd(), file))}:${line}:${column + 1}: ${first.text}`)
  } finally {
    await rm(outfile, { force: true })
  }
}

interface BuildError {
  text: string
  location: { file: string; line: number; column: number } | null
}
