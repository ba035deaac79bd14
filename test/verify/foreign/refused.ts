import type { z } from 'zod'

/** An answer other than a success. */
export class Refused {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Record<string, string> = {}
  ) {}
}

/** One item of a 422, in this service's own words. */
export interface Detail {
  loc: (string | number)[]
  msg: string
  type: string
  input?: unknown
  ctx?: object
}

export const notFound = (what: string) => new Refused(404, { error: { code: 'not_found', text: `No such ${what}.` } })
export const forbidden = (why: string) => new Refused(403, { error: { code: 'forbidden', text: why } })
export const impossible = (why: string) => new Refused(400, { error: { code: 'bad_request', text: why } })
export const invalid = (...detail: Detail[]) => new Refused(422, { detail })

/** The issues that zod found in one part of a request. */
export function detailsOf(part: 'path' | 'query' | 'body', issues: readonly z.core.$ZodIssue[]): Detail[] {
  return issues.flatMap((issue) => {
    const loc = [part, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))]
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [undefined]
    return keys.map((key) => ({
      loc: key === undefined ? loc : [...loc, key],
      msg: issue.message,
      type: issue.code,
      input: issue.input
    }))
  })
}
