/** The assumptions that the message now being checked rests on. */
let noted: Set<string> | undefined

/** Says where the next check notes assumptions; undefined: nowhere. */
export function noteIn(assumed: Set<string> | undefined): void {
  noted = assumed
}

/**
 * What compiled schemas call for x-assumed: a message rests on an assumption where it holds something that an
 * assumption shapes, unless x-documented lists the value.
 */
export function note(ids: string[], value: unknown, documented?: unknown[]): void {
  if (noted && !documented?.includes(value)) for (const id of ids) noted.add(id)
}
