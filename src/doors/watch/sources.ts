import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageRoot } from '../../contract/load.js'

/** The text of every file that the mock is made of, by its path. */
export type Sources = ReadonlyMap<string, string>

/** The fixtures' code: a checkout has it, an installed package does not. */
export function fixturesFolder(): string | undefined {
  const folder = join(packageRoot(), 'fixtures')
  return existsSync(folder) ? folder : undefined
}

/** Reads contracts and ledger from their folder, the fixtures' code, and files and folders of the user's own. */
export function readSources(contracts: string, fixtures: string | undefined, own: readonly string[]): Sources {
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

/** The paths of the files that are other ones in the second, or there alone, or there no more. */
export function changedFiles(before: Sources, after: Sources): string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort()
}

/** The folders whose files may change what the mock is made of. */
export function foldersOf(contracts: string, fixtures: string | undefined, own: readonly string[]): string[] {
  const beside = own
    .filter((path) => existsSync(path))
    // A file is watched by its folder: editors put another file in its place.
    .flatMap((path) => (statSync(path).isDirectory() ? foldersIn(path) : [dirname(path)]))
  return [contracts, ...(fixtures === undefined ? [] : foldersIn(fixtures)), ...beside]
}

/** A folder and all in it, but for packages and what is hidden. */
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
