import { readDateTime } from '../pydantic/datetime.js'
import { readUuid } from '../pydantic/scalars.js'

/** Formats of inputs and rows. Values are converted before the check, so only the canonical form is valid. */
export const inputFormats = {
  uuid: (text: string) => readUuid(text) === text,
  'date-time': (text: string) => readDateTime(text, false) === text
}

export const replyFormats = {
  uuid: (text: string) => typeof readUuid(text) === 'string',
  'date-time': (text: string) => typeof readDateTime(text, true) === 'string'
}

/**
 * Compiled schemas call this for `x-assumed`. A message depends on an assumption if it contains a value that the assumption
 * shapes, unless `x-documented` lists that value. `this` collects the ids.
 */
export function note(this: unknown, ids: string[], value: unknown, documented?: unknown[]): void {
  if (this instanceof Set && !documented?.includes(value)) for (const id of ids) this.add(id)
}
