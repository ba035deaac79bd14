import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
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
    ...textsIn(contracts, /^(?!.*\/)(?!\.|contract\.schema\.json).*\.json$/),
    ...(fixtures === undefined ? [] : textsIn(fixtures, /\.ts$/)),
    ...own.flatMap((path) =>
      !existsSync(path)
        ? []
        : statSync(path).isDirectory()
          ? textsIn(path, ownFiles)
          : [[path, readFileSync(path, 'utf8')] as const]
    )
  ])
}

const ownFiles = /^(?!node_modules\/).*\.(json|ya?ml|[cm]?[jt]s)$/

/** The paths of the files that are other ones in the second, or there alone, or there no more. */
export function changedFiles(before: Sources, after: Sources): string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort()
}

function textsIn(folder: string, names: RegExp): [string, string][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => names.test(name))
    .map((name) => [join(folder, name), readFileSync(join(folder, name), 'utf8')])
}
