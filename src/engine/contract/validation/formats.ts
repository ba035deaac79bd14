import { readDateTime } from '../pydantic/datetime.js'
import { readUuid } from '../pydantic/scalars.js'

/** Formats of inputs and rows. Values are converted before the check, so only the canonical form is valid. */
export const inputFormats = {
  uuid: (text: string) => readUuid(text) === text,
  'date-time': (text: string) => readDateTime(text, false) === text
}

/** Formats of replies. */
export const replyFormats = {
  uuid: (text: string) => typeof readUuid(text) === 'string',
  'date-time': (text: string) => typeof readDateTime(text, true) === 'string'
}
