import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageRoot } from '../../contract/load.js'

/** The text of every file that the mock is made of, by path. */
export type Sources = ReadonlyMap<string, string>

/** The folder of the fixtures' code. A checkout has it, an installed package does not. */
export function fixturesFolder(): string | undefined {
  const folder = join(packageRoot(), 'fixtures')
  return existsSync(folder) ? folder : undefined
}

/** Reads contracts, ledger, the fixtures' code, and the user's own files and folders. */
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

/** The paths of files that were changed, added or removed. */
export function changedFiles(before: Sources, after: Sources): string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort()
}

/** The folders with files that the mock is made of. */
export function foldersOf(contracts: string, fixtures: string | undefined, own: readonly string[]): string[] {
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
