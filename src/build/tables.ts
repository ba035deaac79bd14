import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createContract } from '../contract/contract.js'
import { defaultChoices, readLedger } from '../contract/ledger.js'
import { packageRoot, readDocuments } from '../contract/load.js'
import { serveTable } from '../doors/options/table.js'
import { optionsTable } from './options.js'

/** The paths of the documents that may hold a printed table. */
export function readmes(): string[] {
  return ['contracts', 'src'].flatMap((folder) =>
    readdirSync(join(packageRoot(), folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => basename(name) === 'README.md')
      .map((name) => join(packageRoot(), folder, name))
  )
}

/** A document with its tables printed anew, each between `<!-- name -->` and `<!-- /name -->`. */
export function withTables(readme: string): string {
  const tables: Record<string, string> = {
    operations: operationsTable(),
    assumptions: assumptionsTable(),
    options: optionsTable(serveTable)
  }
  return Object.entries(tables).reduce(
    (text, [name, table]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`),
        (_, open, close) => `${open}\n${table}\n\n${close}`
      ),
    readme
  )
}

function operationsTable(): string {
  const { operations } = createContract(readDocuments(), defaultChoices(readLedger()))
  const rows = [...operations.values()]
    .sort((a, b) => Number(a.code.slice(1)) - Number(b.code.slice(1)))
    .map(({ code, id, method, path, summary }) => `| ${code} | \`${id}\` | \`${method} ${path}\` | ${summary} |`)
  return ['| | operation | request | does |', '|---|---|---|---|', ...rows].join('\n')
}

function assumptionsTable(): string {
  const rows = readLedger().map(
    ({ id, question, choices, default: documented, observed }) =>
      `| \`${id}\` | ${question} | ${Object.keys(choices)
        .map((choice) => mark(choice, documented, observed))
        .join(', ')} |`
  )
  return ['| assumption | question | choices |', '|---|---|---|', ...rows].join('\n')
}

/** The default is bold; the observed choice, where it is another, is marked. */
function mark(choice: string, documented: string, observed: string): string {
  const name = `\`${choice}\``
  if (choice === documented) return `**${name}**`
  return choice === observed ? `${name} (observed)` : name
}
