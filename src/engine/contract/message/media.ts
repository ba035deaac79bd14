/** Whether a media type is JSON, or based on it, such as application/problem+json. */
export function isJsonType(type: string): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)
}

/** Statuses of answers that never have a body (RFC 9110, 15). */
export const bodilessStatuses: readonly number[] = [204, 205, 304]
