import type { JournalDetail } from '../../../engine/contract/types.gen.js'

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

/** The first place where an answer is not as expected. Hidden values of the journal may be anything. */
export function differenceFrom(expected: unknown, actual: unknown, place = 'body'): string | undefined {
  if (typeof expected === 'string' && expected.includes('***'))
    return actual === undefined || actual === null ? `${place} is missing` : undefined
  if (typeof expected !== 'object' || expected === null) {
    return expected === actual ? undefined : `${place} is ${inWords(actual)}, not ${inWords(expected)}`
  }
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual) !== Array.isArray(expected)) {
    return `${place} is ${inWords(actual)}, not ${inWords(expected)}`
  }
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)])
  for (const name of names) {
    const difference = differenceFrom((expected as JsonFields)[name], (actual as JsonFields)[name], `${place}.${name}`)
    if (difference !== undefined) return difference
  }
  return undefined
}

type JsonFields = Record<string, unknown>

function inWords(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
