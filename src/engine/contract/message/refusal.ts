import type { Reason } from '../types.gen.js'

/** A refused request, answered as its contract says for `reason`. It is not an Error: its stack is never needed. */
export class Refusal {
  constructor(
    readonly reason: Reason,
    /** The values of the {placeholders} in the contract's text. */
    readonly values: Record<string, unknown> = {}
  ) {}
}

/** A client's text, shortened for a message. */
export function shortened(text: string, most = 200): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}

/** Replaces {placeholders} by values. */
export function fill<T>(template: T, values: Record<string, unknown>): T {
  if (template === undefined) return template
  const filled = Object.entries(template as Record<string, string>).map(([key, text]) => [
    key,
    text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole))
  ])
  return Object.fromEntries(filled)
}
