/** The rows that an exchange touched: the ids of the first rows that it read, and each written row before and after. */
export interface Touches {
  /** Alternating collections and ids. The journal stores one flat list more cheaply than many pairs. */
  reads: (string | number)[]
  writes: Write[]
}

export interface Write {
  collection: string
  id: string | number
  /** Undefined if the row was new. */
  before: object | undefined
  /** Undefined if the row was removed. */
  after: object | undefined
  /** The size of what only the old row has, and of what only the new one has. */
  lost: number
  gained: number
}

/** The highest number of read rows per exchange in the journal. */
const limit = 50

/** Records the reads and writes of a store's collections. */
export class Notes {
  /** Undefined while nothing is recorded. */
  touches: Touches | undefined

  read(collection: string, row: object): void {
    const { touches } = this
    if (touches && touches.reads.length < 2 * limit) touches.reads.push(collection, (row as { id: number }).id)
  }

  write(write: Write): void {
    this.touches?.writes.push(write)
  }
}
