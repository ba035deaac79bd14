/** The value of a text that is JSON. Any other text is its own value, so that the contract reports the error. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The same for a number. The type is that of a valid text. */
export function numberIn(text: string): number {
  return (Number.isNaN(Number(text)) ? text : Number(text)) as number
}

/** A value as a text to read or to edit. */
export function pretty(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}
