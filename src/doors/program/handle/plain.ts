import { Refusal } from '../../../contract/message/refusal.js'
import { plainCopy } from '../../../contract/message/user-file.js'

/** Path and query as texts, as in a URL. */
export function texts(values: object): Record<string, string> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([key, value]) => [key, String(value)]))
}

/** The body as it would come in a request. */
export function takenIn(body: unknown): unknown {
  try {
    return plainCopy(body, 'The body contains itself', 'The body')
  } catch (error) {
    throw new Refusal('unreadable-body', { detail: `${(error as Error).message}.` })
  }
}

/** A value that the caller may change. */
export function copied(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
