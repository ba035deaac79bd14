/** The rows that an exchange touched: the ids of the first rows that it read, and each row that it wrote, as it was before. */
export interface Touches {
  /** Collections and ids in turn: the journal keeps one list of an exchange more cheaply than many pairs. */
  reads: (string | number)[]
  writes: Write[]
}

export interface Write {
  collection: string
  id: string | number
  /** Undefined: there was none. */
  before: object | undefined
}

/** The journal keeps this many read rows of one exchange. */
const limit = 50

/** Where the collections of one store note what is done to their rows. */
export class Notes {
  /** Undefined: nobody asks. */
  touches: Touches | undefined

  read(collection: string, row: object): void {
    const { touches } = this
    if (touches && touches.reads.length < 2 * limit) touches.reads.push(collection, (row as { id: number }).id)
  }

  write(collection: string, id: string | number, before: object | undefined): void {
    this.touches?.writes.push({ collection, id, before })
  }
}
