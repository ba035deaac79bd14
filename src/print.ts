// Run by npm run build: prints what is derived from contracts/ and kept in the repository.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from './contract/load.js'
import { readmeWithTables } from './contract/tables.js'
import { printTypes } from './contract/types.js'

const readme = join(packageRoot(), 'README.md')
writeIfChanged(join(packageRoot(), 'src/contract/types.gen.ts'), await printTypes())
writeIfChanged(readme, readmeWithTables(readFileSync(readme, 'utf8')))

function writeIfChanged(file: string, text: string): void {
  if (readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
}
