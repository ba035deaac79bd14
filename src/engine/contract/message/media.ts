/** Statuses of answers that never have a body (RFC 9110, 15). */
export const bodilessStatuses: readonly number[] = [204, 205, 304]

export function isJsonLines(type: string): boolean {
  return /^application\/(?:x-ndjson|ndjson|jsonl|jsonlines|x-jsonlines)\s*(?:;|$)/i.test(type)
}

/** Whether an answer of this type is sent value by value. */
export function isStreamType(type: string | undefined): boolean {
  return (
    type !== undefined && (isJsonLines(type) || /^(?:application\/json-seq|text\/event-stream)\s*(?:;|$)/i.test(type))
  )
}

/** Whether a Content-Type matches a media type, or a range such as text/*. */
export function isOfMedia(type: string, media: string): boolean {
  const [name = '', range = ''] = [type, media].map((it) => it.toLowerCase().split(';')[0]?.trim())
  return range.endsWith('/*') ? range === '*/*' || name.startsWith(range.slice(0, -1)) : name === range
}
