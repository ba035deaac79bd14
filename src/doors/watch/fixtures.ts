import { createHash, randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageRoot, shown } from '../../contract/load.js'
import type { Definitions } from '../../mock/ledger/edition.js'

/** Builds and loads the fixtures' code. Throws an Error that names file, line and column of a mistake. */
export async function buildFixtures(folder: string): Promise<Pick<Definitions, 'seeding' | 'factoryOf' | 'code'>> {
  const { build } = await import('esbuild').catch(() => {
    throw new Error(`${shown(folder)}: esbuild is needed to build fixtures and is not installed. Run npm ci.`)
  })
  // A module is imported once per name, so each build has its own name. It lies where its packages can be found.
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
