import { signal } from '@preact/signals'

/** The words for the rows of a collection, one and several, where its name has others. */
export const labels = signal<Record<string, string[] | undefined>>({})

/** "Open orders" for openOrders. */
export function several(collection: string): string {
  return labels.value[collection]?.[1] ?? worded(collection)
}

/** "Open order" for openOrders. */
export function one(collection: string): string {
  return labels.value[collection]?.[0] ?? worded(collection).replace(/s$/, '')
}

/** The words of a field's name: "Number of chunks" for num_chunks. */
export function worded(name: string): string {
  const words = name.replace(/[_-]+/g, ' ').replace(/([a-z0-9])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`)
  const plain = words
    .replace(/^num /, 'number of ')
    .replace(/\b(id|url|llm|api|json)(s?)\b/g, (_, a, s) => a.toUpperCase() + s)
  return (plain[0] ?? '').toUpperCase() + plain.slice(1)
}

export function rowLabel(collection: string, id: string | number): string {
  return `${one(collection)} ${shortId(id)}`
}

export type RowNames = Record<string, Record<string, string>> | undefined

/** The name of a row, or a short form of its id. */
export function titleOf(names: RowNames, collection: string, id: string | number): string {
  return names?.[collection]?.[String(id)] ?? shortId(id)
}

/** The first eight characters of a UUID; other ids in full. */
export function shortId(id: string | number): string {
  return /^[0-9a-f]{8}-/.test(String(id)) ? String(id).slice(0, 8) : String(id)
}
