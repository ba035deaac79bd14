import type { Collection, Follower } from './collection.js'

/** The words of a text in lower case, each once. */
export function wordsOf(text: string): string[] {
  return [...new Set(text.toLowerCase().split(/\s+/))].filter((word) => word !== '')
}

/** Rows by the words of one of their texts: for each owner and word, the rows from the oldest to the newest. */
export class WordIndex<Row extends object> implements Follower<Row> {
  private readonly owners = new Map<unknown, Map<string, Row[]>>()
  /** Lists that were added to out of order: put in order when they are next read. */
  private readonly unsorted = new Set<Row[]>()

  private constructor(
    private readonly owner: keyof Row,
    private readonly text: keyof Row,
    private readonly time: keyof Row
  ) {}

  /** The rows of a collection by the words of `text`: those of an `owner`, in the order of `time`. */
  static of<Row extends object>(
    collection: Collection<Row>,
    owner: keyof Row & string,
    text: keyof Row & string,
    time: keyof Row & string
  ): WordIndex<Row> {
    return collection.view(`words of ${text}`, () => {
      const index = new WordIndex<Row>(owner, text, time)
      for (const row of collection.all()) index.add(row)
      collection.follow(index)
      return index
    })
  }

  add(row: Row): void {
    const lists = this.owners.get(row[this.owner]) ?? new Map<string, Row[]>()
    this.owners.set(row[this.owner], lists)
    for (const word of wordsOf(String(row[this.text] ?? ''))) {
      const list = lists.get(word)
      if (!list) lists.set(word, [row])
      else {
        if (this.order(list.at(-1) as Row, row) > 0) this.unsorted.add(list)
        list.push(row)
      }
    }
  }

  remove(row: Row): void {
    const lists = this.owners.get(row[this.owner])
    for (const word of wordsOf(String(row[this.text] ?? ''))) {
      const list = lists?.get(word)
      const at = list?.lastIndexOf(row) ?? -1
      if (at >= 0) list?.splice(at, 1)
      if (list?.length === 0) lists?.delete(word)
    }
  }

  /** The words of an owner's rows that hold a text. */
  wordsWith(owner: unknown, text: string): string[] {
    const found: string[] = []
    for (const word of this.owners.get(owner)?.keys() ?? []) if (word.includes(text)) found.push(word)
    return found
  }

  /** The rows that have a word, from the oldest to the newest. */
  rows(owner: unknown, word: string): readonly Row[] {
    const list = this.owners.get(owner)?.get(word) ?? []
    if (this.unsorted.delete(list)) list.sort((a, b) => this.order(a, b))
    return list
  }

  /** Negative where the first is older; rows of one moment are in the order of their ids. */
  readonly order = (a: Row, b: Row): number => {
    const [timeA, timeB] = [a[this.time], b[this.time]]
    if (timeA !== timeB) return timeA < timeB ? -1 : 1
    const [idA, idB] = [(a as { id: string }).id, (b as { id: string }).id]
    return idA < idB ? -1 : Number(idA > idB)
  }
}
