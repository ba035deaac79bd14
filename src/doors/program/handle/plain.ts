import { Refusal } from '../../../contract/message/refusal.js'
import { plainCopy } from '../../../contract/message/user-file.js'
import { Invalid } from '../../../contract/pydantic/explain.js'
import { wrong } from '../../../rules/control/wrong-field.js'

/** Path or query as texts, as in a URL. Throws an Invalid for a value that no URL has. */
export function texts(part: 'path' | 'query', values: object): Record<string, string> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  const problems = given
    .filter(([, value]) => !['string', 'number', 'boolean'].includes(typeof value))
    .map(([key, value]) => wrong([part, key], `Give a text, a number or a boolean, not ${kindOf(value)}.`))
  if (problems.length > 0) throw new Invalid(problems)
  return Object.fromEntries(given.map(([key, value]) => [key, String(value)]))
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`
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
