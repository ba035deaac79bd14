import type { JournalDetail } from '../../../contract/types.gen.js'

/** What a test expects of an answer. */
export interface ExpectedAnswer {
  status: number
  /** JSON. */
  body?: unknown
  /** A body that is not JSON. */
  text?: string
}

/** Longer bodies are left out of a test. */
const longest = 20_000

export function expectedOf({ status, response, method }: JournalDetail): ExpectedAnswer {
  const { body, headers } = response
  if (status === 0 || method === 'HEAD' || body === undefined || JSON.stringify(body).length > longest)
    return { status }
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  return /json/i.test(type)
    ? { status, body }
    : typeof body === 'string' && !body.includes('***')
      ? { status, text: body }
      : { status }
}

/** The first place where an answer is not as expected. What the journal hides may be anything. */
export function differenceFrom(expected: unknown, given: unknown, place = 'body'): string | undefined {
  if (typeof expected === 'string' && expected.includes('***'))
    return given === undefined || given === null ? `${place} is missing` : undefined
  if (typeof expected !== 'object' || expected === null) {
    return expected === given ? undefined : `${place} is ${told(given)}, not ${told(expected)}`
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given) !== Array.isArray(expected)) {
    return `${place} is ${told(given)}, not ${told(expected)}`
  }
  const names = new Set([...Object.keys(expected), ...Object.keys(given)])
  for (const name of names) {
    const found = differenceFrom((expected as JsonFields)[name], (given as JsonFields)[name], `${place}.${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

type JsonFields = Record<string, unknown>

function told(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
