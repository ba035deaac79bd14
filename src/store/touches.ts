/** The rows that an exchange read and wrote, each as collection and id; the first ones of many. */
export interface Touches {
  reads: [collection: string, id: string | number][]
  writes: [collection: string, id: string | number][]
}

/** So many rows of either kind are told of one exchange. */
const limit = 50

let touches: Touches | undefined

/** Says where rows that are read and written from now on are noted; undefined: nowhere. */
export function noteTouchesIn(list: Touches | undefined): void {
  touches = list
}

export function noteRead(collection: string, row: object): void {
  if (touches && touches.reads.length < limit) touches.reads.push([collection, (row as { id: number }).id])
}

export function noteWrite(collection: string, id: string | number): void {
  if (touches && touches.writes.length < limit) touches.writes.push([collection, id])
}
