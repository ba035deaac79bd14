import { Command } from 'commander'
import { pairsOf } from '../../engine/contract/ledger.js'
import { compareDocuments } from '../../tools/compare/compare.js'
import { readSide } from '../../tools/compare/document.js'
import { formats, reportOf } from '../../tools/compare/report.js'
import { addOptions } from '../options/command-line.js'
import { choice } from '../options/kinds.js'
import { choiceTable } from '../options/mock-table.js'
import type { Settled, Table } from '../options/option.js'

const compareTable = {
  format: { is: choice('name', formats), default: 'text', help: 'output format' },
  ...choiceTable
} as const satisfies Table

/** `compare <old> <new>`: exits with 0 if nothing breaks, 1 if something does, 2 if it could not compare. */
export function compareCommand(): Command {
  return addOptions(new Command('compare'), compareTable)
    .description('print what changed between two contracts, breaking first')
    .argument('<old>', 'a folder of contracts, or an OpenAPI 3.0 or 3.1 file in JSON or YAML')
    .argument('<new>', 'the same')
    .action((old: string, now: string, options: Settled<typeof compareTable>, command: Command) => {
      try {
        const choices = { profile: options.profile, assume: pairsOf(options.assume ?? []) }
        const changes = compareDocuments(readSide(old, choices), readSide(now, choices))
        process.stdout.write(reportOf({ old, new: now, changes }, options.format))
        if (changes.some(({ level }) => level === 'breaking')) process.exitCode = 1
      } catch (error) {
        // Exit code 2, so that no error looks like a completed comparison.
        command.error(`error: ${(error as Error).message}`)
      }
    })
}
