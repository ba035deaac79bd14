// Run by npm run build: prints what is derived from contracts/ and kept in the repository, and compiles its schemas.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContract } from '../contract/contract.js'
import { defaultChoices, readLedger } from '../contract/ledger.js'
import { contractsFolder, packageRoot, readDocuments } from '../contract/load.js'
import { schemasOf, usedIn } from '../contract/openapi/published.js'
import { contractErrors, documentErrors } from '../contract/validation/contract-errors.js'
import { failOn } from '../doors/program/edition/check-edition.js'
import { compileSchemas } from './compile-schemas.js'
import { printPaths } from './paths.js'
import { printRows } from './rows.js'
import { readmes, withTables } from './tables.js'
import { printTypes } from './types.js'

// What an earlier build has made must not be taken for what this one makes.
rmSync(join(packageRoot(), 'dist/schemas'), { recursive: true, force: true })
const entries = readLedger()
const choices = defaultChoices(entries)
const documents = readDocuments()
const contract = createContract(documents, choices)
failOn(contractsFolder, [...documentErrors(documents, entries), ...contractErrors(contract)])
compileSchemas(contract)

const types = await printTypes()
writeIfChanged(join(packageRoot(), 'src/contract/types.gen.ts'), types)
writeIfChanged(join(packageRoot(), 'src/contract/rows.gen.ts'), printRows(documents))
writeIfChanged(join(packageRoot(), 'src/contract/paths.gen.ts'), printPaths(contract, { entries, choices }, types))
for (const readme of readmes()) writeIfChanged(readme, withTables(readFileSync(readme, 'utf8')))

writeIfChanged(join(packageRoot(), 'dist/scenario.schema.json'), scenarioSchema())

/** The JSON Schema of a scenario's file, for editors. */
function scenarioSchema(): string {
  const name = 'Scenario'
  const { [name]: scenario, ...used } = usedIn({ $ref: `#/components/schemas/${name}` }, schemasOf(contract.documents))
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: name,
    ...(scenario as object),
    $defs: used
  }
  return JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/')
}

function writeIfChanged(file: string, text: string): void {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
}
