import { Command } from 'commander'
import { pairsOf } from '../../engine/contract/ledger.js'
import { compareDocuments } from '../../tools/compare/compare.js'
import { readSide } from '../../tools/compare/document.js'
import { reports } from '../../tools/compare/report.js'
import { addOptions } from '../options/command-line.js'
import { choice } from '../options/kinds.js'
import { choiceTable } from '../options/mock-table.js'
import type { Settled, Table } from '../options/option.js'

export const compareTable = {
  format: {
    is: choice('name', Object.keys(reports) as (keyof typeof reports)[]),
    default: 'text',
    help: 'output format'
  },
  ...choiceTable
} as const satisfies Table

/** `compare <old> <new>`: exits with 0 if nothing breaks, 1 if something does, 2 if it could not compare. */
export function compareCommand(): Command {
  return addOptions(new Command('compare'), compareTable)
    .description('print what changed between two contracts, breaking first')
    .argument('<old>', 'a folder of contracts, or an OpenAPI 3.0, 3.1 or 3.2 file in JSON or YAML')
    .argument('<new>', 'the same')
    .action((old: string, now: string, { profile, assume = [], format }: Settled<typeof compareTable>) => {
      const read = (side: string) => readSide(side, profile, pairsOf(assume))
      const changes = compareDocuments(read(old), read(now))
      process.stdout.write(reports[format]({ old, new: now, changes }))
      if (changes.some(({ level }) => level === 'breaking')) process.exitCode = 1
    })
}
