import type { Collection, Follower } from './collection.js'

/** The number of characters of a text that a search reads. More would only cost time. */
const longest = 10_000

/** An owner with more different words gets no index: it would be many times as large as the texts. */
const mostWords = 50_000

/** A text in the form that searches use. */
export function searchable(text: unknown): string {
  return String(text ?? '')
    .slice(0, longest)
    .toLowerCase()
}

/** The words of a searchable text, each once. */
export function wordsOf(text: string): string[] {
  return [...new Set(text.split(/\s+/))].filter((word) => word !== '')
}

export interface WordIndexOptions<Row> {
  owner: keyof Row & string
  text: keyof Row & string
  time: keyof Row & string
  /** The search keys of a text, each once. */
  split: (text: string) => string[]
}

/** Rows by the words in one of their texts: for each owner and word, the rows from oldest to newest. */
export class WordIndex<Row extends object> implements Follower<Row> {
  /** Undefined: too many words to index. */
  private readonly owners = new Map<unknown, Map<string, Row[]> | undefined>()
  /** Lists with rows added out of order. They are sorted on the next read. */
  private readonly unsorted = new Set<Row[]>()

  private constructor(private readonly words: WordIndexOptions<Row>) {}

  /** The index of this name. It is created on first use. */
  static of<Row extends object>(
    collection: Collection<Row>,
    name: string,
    words: WordIndexOptions<Row>
  ): WordIndex<Row> {
    return collection.view(name, () => {
      const index = new WordIndex<Row>(words)
      for (const row of collection.all()) index.add(row)
      collection.follow(index)
      return index
    })
  }

  add(row: Row): void {
    const owner = row[this.words.owner]
    if (!this.owners.has(owner)) this.owners.set(owner, new Map())
    const lists = this.owners.get(owner)
    if (!lists) return
    for (const word of this.split(row)) {
      const list = lists.get(word)
      if (!list) lists.set(word, [row])
      else {
        if (this.order(list.at(-1) as Row, row) > 0) this.unsorted.add(list)
        list.push(row)
      }
    }
    if (lists.size > mostWords) this.owners.set(owner, undefined)
  }

  remove(row: Row): void {
    const lists = this.owners.get(row[this.words.owner])
    if (!lists) return
    for (const word of this.split(row)) {
      const list = lists.get(word)
      const at = list?.lastIndexOf(row) ?? -1
      if (at >= 0) list?.splice(at, 1)
      if (list?.length === 0) lists.delete(word)
    }
  }

  /** The words of an owner's rows that contain a text. Undefined if there is no index. */
  wordsWith(owner: unknown, text: string): string[] | undefined {
    const lists = this.listsOf(owner)
    return lists && [...lists.keys()].filter((word) => word.includes(text))
  }

  /** The rows with a word, from oldest to newest. Undefined if there is no index. */
  rows(owner: unknown, word: string): readonly Row[] | undefined {
    const lists = this.listsOf(owner)
    const list = lists && (lists.get(word) ?? [])
    if (list && this.unsorted.delete(list)) list.sort((a, b) => this.order(a, b))
    return list
  }

  /** Negative if the first row is older. Rows of one moment are sorted by id. */
  readonly order = (a: Row, b: Row): number => {
    const [timeA, timeB] = [a[this.words.time], b[this.words.time]]
    if (timeA !== timeB) return timeA < timeB ? -1 : 1
    const [idA, idB] = [(a as { id: string }).id, (b as { id: string }).id]
    return idA < idB ? -1 : Number(idA > idB)
  }

  /** An owner without rows has no words. */
  private listsOf(owner: unknown): Map<string, Row[]> | undefined {
    return this.owners.has(owner) ? this.owners.get(owner) : new Map()
  }

  private split(row: Row): string[] {
    return this.words.split(searchable(row[this.words.text]))
  }
}
