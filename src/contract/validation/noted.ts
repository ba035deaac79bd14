/**
 * What compiled schemas call for x-assumed: a message rests on an assumption where it holds something that an
 * assumption shapes, unless x-documented lists the value. `this` is the context of the check: where such ids are noted.
 */
export function note(this: unknown, ids: string[], value: unknown, documented?: unknown[]): void {
  if (this instanceof Set && !documented?.includes(value)) for (const id of ids) this.add(id)
}
