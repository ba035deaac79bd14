/**
 * Compiled schemas call this for `x-assumed`. A message depends on an assumption if it contains a value that the assumption
 * shapes, unless `x-documented` lists that value. `this` collects the ids.
 */
export function note(this: unknown, ids: string[], value: unknown, documented?: unknown[]): void {
  if (this instanceof Set && !documented?.includes(value)) for (const id of ids) this.add(id)
}
