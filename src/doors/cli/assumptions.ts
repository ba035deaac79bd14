import { Command } from 'commander'
import { choose, entryOf, type LedgerEntry, pairsOf, readLedger } from '../../engine/contract/ledger.js'
import { addOptions } from '../options/command-line.js'
import { definitionsTable } from '../options/mock-table.js'
import type { Settled } from '../options/option.js'
import { readApi } from '../with/api.js'

const { with: _, ...ledgerTable } = definitionsTable

/** `assumptions [id]`: prints what the description leaves open and how the mock decides it. */
export function assumptionsCommand(): Command {
  return addOptions(new Command('assumptions'), ledgerTable)
    .description('print what the description leaves open and how the mock decides it, or explain one entry')
    .argument('[id]', 'an entry of the ledger')
    .action((id: string | undefined, { api, contracts, profile, assume = [] }: Settled<typeof ledgerTable>) => {
      const ledger = api === undefined ? readLedger(contracts) : readApi(api, [], () => {}).ledger
      const choices = choose(ledger, profile, pairsOf(assume))
      if (id !== undefined) process.stdout.write(explanation(entryOf(ledger, id), choices[id] as string))
      else for (const entry of ledger) process.stdout.write(line(entry, choices[entry.id] as string))
    })
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
    `\nWhy: ${entry.reason}\n`,
    entry.place.length === 0 ? '' : `In the description: ${entry.place.join(', ')}\n`,
    entry.fixed ? '' : `Change it: --assume ${entry.id}=<choice>\n`
  ].join('')
}
