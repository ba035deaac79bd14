import { Command } from 'commander'
import { choose, entryOf, type LedgerEntry, type Profile, pairsOf, readLedger } from '../../engine/contract/ledger.js'
import { addOptions } from '../options/command-line.js'
import { definitionsTable } from '../options/mock-table.js'

const { with: _, ...ledgerTable } = definitionsTable

/** `assumptions [id]`: prints what the description leaves open and how the mock decides it. */
export function assumptionsCommand(): Command {
  return addOptions(new Command('assumptions'), ledgerTable)
    .description('print what the description leaves open and how the mock decides it, or explain one entry')
    .argument('[id]', 'an entry of the ledger')
    .action(
      (
        id: string | undefined,
        options: { profile: Profile; assume?: string[]; contracts?: string },
        command: Command
      ) => {
        try {
          const ledger = readLedger(options.contracts)
          const choices = choose(ledger, options.profile, pairsOf(options.assume ?? []))
          if (id === undefined)
            for (const entry of ledger) process.stdout.write(line(entry, choices[entry.id] as string))
          else process.stdout.write(explanation(entryOf(ledger, id), choices[id] as string))
        } catch (error) {
          command.error(`error: ${(error as Error).message}`)
        }
      }
    )
}

function line(entry: LedgerEntry, choice: string): string {
  return `${entry.id.padEnd(28)} ${choice.padEnd(20)} ${entry.question}\n`
}

function explanation(entry: LedgerEntry, choice: string): string {
  const marks = (name: string) =>
    [
      name === choice && 'in force',
      name === entry.default && 'documented',
      name === entry.observed && 'observed'
    ].filter(Boolean)
  const choices = Object.entries(entry.choices).map(
    ([name, text]) => `  ${name}${marks(name).length ? ` (${marks(name).join(', ')})` : ''}\n      ${text}\n`
  )
  return [
    `${entry.id}\n\n${entry.question}\n\n`,
    ...choices,
    `\nWhy: ${entry.reason}\nIn the description: ${entry.place.join(', ')}\n`,
    entry.fixed ? '' : `Change it: --assume ${entry.id}=<choice>\n`
  ].join('')
}
