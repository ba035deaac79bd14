import { createHash, randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageRoot, shown } from '../../contract/load.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import type { Definitions, Edition } from '../../mock/ledger/edition.js'
import { rowsOf } from '../../mock/sandbox/sandbox.js'
import { readCollections } from '../../rules/control/state/check-rows.js'
import { atOnce } from '../../store/steps.js'

/** Builds the fixtures' code and loads it. Throws an Error that names file, line and column of a mistake in it. */
export async function buildFixtures(folder: string): Promise<Pick<Definitions, 'seeding' | 'factoryOf' | 'code'>> {
  const { build } = await import('esbuild').catch(() => {
    throw new Error(`${shown(folder)}: esbuild, which builds fixtures, is not installed: npm ci`)
  })
  // A module is loaded once by its name, so each build has a name of its own; it lies where its packages are found.
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

/** Makes the rows of the start. Throws an Error that names the first that breaks its contract. */
export function checkFixtures({ startOf, contractOf, choices }: Edition, folder: string): void {
  try {
    atOnce(readCollections(contractOf(choices), rowsOf(startOf().rows), 0))
  } catch (error) {
    const [first] = error instanceof Invalid ? error.problems : []
    const problem = first ? `${first.loc.slice(2).join('.')}: ${first.msg}` : (error as Error).message
    throw new Error(problem.startsWith(shown(folder)) ? problem : `${shown(folder)}: ${problem}`)
  }
}

/** The same where there are rows of the user's own. */
export function checkOwnRows(edition: Edition): void {
  const [first] = edition.beside.fixtures
  if (first) checkFixtures(edition, first.place)
}

interface BuildError {
  text: string
  location: { file: string; line: number; column: number } | null
}
