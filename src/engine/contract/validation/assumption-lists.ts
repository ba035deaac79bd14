import type { Contract } from '../contract.js'
import type { LedgerEntry } from '../ledger.js'
import { type Choices, type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'

export interface Ledger {
  entries: LedgerEntry[]
  choices: Choices
}

/**
 * The ledger entries that each operation depends on, by operation id: entries that name its number, and entries that its
 * contract is marked with. An entry that names no operation applies to all of them.
 */
export function assumptionsByOperation(contract: Contract, { entries }: Ledger): Map<string, LedgerEntry[]> {
  return new Map(
    [...contract.operations.values()].map((operation) => {
      const schemas = Object.values(operation.responses).map(({ schema, assumed }) => ({
        schema,
        'x-assumed': assumed
      }))
      // A user's document has no marks of the ledger.
      const marked = operation.origin ? new Set() : marksIn(contract.documents, [operation.input, ...schemas] as Json)
      const isOf = ({ id, place }: LedgerEntry) => place.includes(operation.code) || marked.has(id)
      return [operation.id, entries.filter(isOf)]
    })
  )
}

/** The assumption ids in a part of a contract, including everything that it refers to. */
export function marksIn(documents: Documents, value: Json): Set<string> {
  const ids = new Set<string>()
  const seen = new Set<string>()
  const walk = (part: Json | undefined): void => {
    if (Array.isArray(part)) for (const item of part) walk(item)
    if (!isObject(part)) return
    for (const id of idsOn(part)) ids.add(id)
    const { $ref } = part
    if (typeof $ref === 'string' && !seen.has($ref)) {
      seen.add($ref)
      walk(follow(documents, $ref))
    }
    for (const item of Object.values(part)) walk(item)
  }
  walk(value)
  return ids
}

/** The assumption ids of one schema: from `x-assumed` and `x-null`. */
export function idsOn(value: JsonObject): string[] {
  return [...new Set([value['x-assumed'] ?? [], value['x-null'] ?? []].flat() as string[])]
}

/** The assumptions of an operation in Markdown: each question with its answer. */
export function assumptionsText(entries: LedgerEntry[], { choices }: Ledger): string {
  if (entries.length === 0) return ''
  const items = entries.map((entry) => {
    const choice = choices[entry.id] as string
    return `- \`${entry.id}\`: ${entry.question} **${choice}**: ${meaningOf(entry, choice)}.`
  })
  return `\n\n**What the description leaves open here, and how it is answered:**\n\n${items.join('\n')}`
}

/** The whole ledger by id, as documents show it. `operations` lists the operations that an entry applies to. */
export function assumptionsTable(ledger: Ledger, byOperation: Map<string, LedgerEntry[]>): JsonObject {
  const table = ledger.entries.map((entry): [string, Json] => {
    const operations = [...byOperation].flatMap(([id, entries]) => (entries.includes(entry) ? id : []))
    return [
      entry.id,
      {
        question: entry.question,
        choice: ledger.choices[entry.id] as string,
        choices: entry.choices,
        operations: operations.length > 0 ? operations : 'all'
      }
    ]
  })
  return Object.fromEntries(table)
}

/** What a choice does. The name of a choice may contain a number. */
function meaningOf({ choices }: LedgerEntry, choice: string): string {
  return choices[choice] ?? choices[choice.replace(/\d+/g, '<n>')] ?? (Object.values(choices).at(-1) as string)
}
