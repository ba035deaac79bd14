import type { Reason } from './types.gen.js'

/**
 * A refused request. The operation's contract says under `reason` how the answer looks. It is thrown, but it is not an
 * Error: nobody needs its stack.
 */
export class Refusal {
  constructor(
    readonly reason: Reason,
    /** What the {placeholders} of the contract's text stand for. */
    readonly values: Record<string, unknown> = {}
  ) {}
}

/** A text of the client, shortened for a message. */
export function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** Puts values in the places of {placeholders}. */
export function fill<T>(template: T, values: Record<string, unknown>): T {
  if (template === undefined) return template
  const filled = Object.entries(template as Record<string, string>).map(([key, text]) => [
    key,
    text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole))
  ])
  return Object.fromEntries(filled)
}
