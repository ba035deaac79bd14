// Run by npm run build: prints what is derived from contracts/ and kept in the repository, and compiles its schemas.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContract } from './contract/contract.js'
import { packageRoot, readDocuments } from './contract/load.js'
import { prebuild } from './contract/prebuild.js'
import { readmeWithTables } from './contract/tables.js'
import { printTypes } from './contract/types.js'
import { defaultChoices, readLedger } from './mock/assumptions.js'

prebuild(createContract(readDocuments(), defaultChoices(readLedger())))

const readme = join(packageRoot(), 'README.md')
writeIfChanged(join(packageRoot(), 'src/contract/types.gen.ts'), await printTypes())
writeIfChanged(readme, readmeWithTables(readFileSync(readme, 'utf8')))

function writeIfChanged(file: string, text: string): void {
  if (readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
}
