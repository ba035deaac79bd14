import { join } from 'node:path'
import { type Choices, contractsFolder, readShared } from './load.js'
import { distance } from './nearest.js'

/** An entry of contracts/assumptions.json: an open point of the description, with its choices. */
export interface LedgerEntry {
  id: string
  /** What it is about, as a heading of a list. */
  area?: string
  question: string
  /** Sections and operations of the description. */
  place: string[]
  /** What each choice does, by name. In a name, <n> means a number and <fields> means `<operation>.<field>,…`. */
  choices: Record<string, string>
  default: string
  observed: string
  reason: string
  /** It cannot be changed: no operation can show the difference, or it is an option of the server. */
  fixed?: true
}

export const profiles = ['documented', 'observed'] as const
export type Profile = (typeof profiles)[number]

export function readLedger(folder: string = contractsFolder): LedgerEntry[] {
  return readShared(join(folder, 'assumptions.json')).assumptions as unknown as LedgerEntry[]
}

export function defaultChoices(ledger: readonly LedgerEntry[], profile: Profile = 'documented'): Choices {
  return Object.fromEntries(ledger.map((entry) => [entry.id, profile === 'observed' ? entry.observed : entry.default]))
}

/**
 * The choices of a profile, changed by `id=choice` pairs. The name of a profile is also a valid choice. Throws an Error that
 * names the nearest id, or the valid choices.
 */
export function choose(
  ledger: readonly LedgerEntry[],
  profile: Profile,
  pairs: Iterable<readonly [string, string]>
): Choices {
  const choices: Record<string, string> = { ...defaultChoices(ledger, profile) }
  for (const [id, choice] of pairs) {
    const entry = entryOf(ledger, id)
    if (choice === 'documented') choices[id] = entry.default
    else if (choice === 'observed') choices[id] = entry.observed
    else if (isChoice(entry, choice)) choices[id] = choice
    else throw new Error(`${id} has no choice "${choice}". Choices: ${Object.keys(entry.choices).join(', ')}.`)
  }
  return choices
}

export function isChoice(entry: LedgerEntry, choice: string): boolean {
  return Object.keys(entry.choices).some((name) => {
    if (!name.includes('<')) return name === choice
    const pattern = name.replaceAll('<n>', '\\d{1,9}').replace('<fields>', '\\w+\\.\\w+(,\\w+\\.\\w+)*')
    return new RegExp(`^${pattern}$`).test(choice)
  })
}

export function entryOf(ledger: readonly LedgerEntry[], id: string): LedgerEntry {
  const entry = ledger.find((it) => it.id === id)
  if (!entry) throw new Error(`There is no assumption "${id}".${suggestion(ledger, id)}`)
  return entry
}

function suggestion(ledger: readonly LedgerEntry[], id: string): string {
  const [area] = id.split('.')
  const near = ledger
    .map((it) => it.id)
    .filter((it) => it.startsWith(`${area}.`) || it.endsWith(`.${id}`) || it.includes(id))
    .sort((a, b) => distance(a, id) - distance(b, id))
  return near.length ? ` Did you mean ${near.slice(0, 3).join(', ')}?` : ' See: knowledge-chat-mock assumptions.'
}

/** Reads choices given as an object, or as `id=choice` texts. */
export function pairsOf(assume: Record<string, string> | readonly string[]): [string, string][] {
  if (!Array.isArray(assume)) return Object.entries(assume).filter(([, choice]) => choice !== undefined)
  return assume.map((text: string) => {
    const mark = text.indexOf('=')
    if (mark < 1) throw new Error(`assume is "${text}": give <id>=<choice>, such as files.deletion=refused.`)
    return [text.slice(0, mark), text.slice(mark + 1)]
  })
}
