/** An answer with a status, which a rule returns from `reply` or throws with `refuse`. */
export class RuleReply {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Record<string, string> = {}
  ) {}
}

/** Ends a rule with an error in the platform's format. */
export function refuse(status: number, detail: string): never {
  if (!Number.isInteger(status) || status < 400 || status > 599)
    throw new Error(`refuse takes a status from 400 to 599, not ${status}`)
  throw new RuleReply(status, { detail })
}
