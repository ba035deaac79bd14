/** An answer with its own status, which an own rule returns from `reply` or throws with `refuse`. */
export class OwnReply {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Record<string, string> = {}
  ) {}
}

/** Ends an own rule with an error in the platform's form. */
export function refuse(status: number, detail: string): never {
  if (!Number.isInteger(status) || status < 400 || status > 599)
    throw new Error(`refuse takes a status from 400 to 599, not ${status}`)
  throw new OwnReply(status, { detail })
}
