/** An answer with a status, which a rule returns from `reply` or throws with `refuse`. */
export class RuleReply {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Record<string, string> = {}
  ) {}
}

/** Headers that frame a message, or describe the exchange. */
const fixedHeaders = ['connection', 'content-length', 'date', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade']

/** Why a header cannot be sent (RFC 9110), or is the mock's. Undefined: it can. */
export function headerProblem(name: string, value: string): string | undefined {
  // `Object.assign` would drop `__proto__`.
  if (!/^[!#$%&'*+.^`|~\w-]+$/.test(name) || name === '__proto__')
    return "A header's name has letters, digits and hyphens, such as Retry-After."
  if (fixedHeaders.includes(name.toLowerCase()) || /^x-mock-/i.test(name))
    return `The mock sets ${name} itself: leave it out.`
  const isGood = /^[\t\x20-\x7e\xa0-\xff]*$/.test(value) && value.trim() === value
  return isGood ? undefined : "A header's value is one line of Latin-1 text, without spaces around it."
}

/** An answer of a rule. Throws an Error that names a status or header that cannot be sent. */
export function reply(status: number, body?: unknown, headers: Record<string, string> = {}): RuleReply {
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new Error(`reply takes a status from 200 to 599, not ${JSON.stringify(status)}`)
  const entries = Object.entries(headers).map(([name, value]) => {
    const problem = headerProblem(name, String(value))
    if (problem !== undefined) throw new Error(`reply has the header ${JSON.stringify(name)}: ${problem}`)
    // One spelling, so that a header of the rule replaces the mock's.
    const usual = name === name.toLowerCase() ? name.replace(/(^|-)[a-z]/g, (it) => it.toUpperCase()) : name
    return [usual, String(value)] as const
  })
  return new RuleReply(status, body, Object.fromEntries(entries))
}

/** Ends a rule with an error in the platform's format. */
export function refuse(status: number, detail: string): never {
  if (!Number.isInteger(status) || status < 400 || status > 599)
    throw new Error(`refuse takes a status from 400 to 599, not ${JSON.stringify(status)}`)
  throw new RuleReply(status, { detail })
}

export function typeIn(headers: Record<string, string> = {}): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
}
