/** Milliseconds by unit. */
const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** The forms of a duration, as a sentence for messages. */
export const durationForms = 'Give milliseconds, or a number with ms, s, m, h, d or w, such as "2h" or "1d 12h".'

/** Milliseconds of a text such as `2h`, `1d 12h` or `-30s`, or of a number. Undefined for anything else. */
export function readDuration(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  const text = typeof value === 'string' ? value.trim() : ''
  const sign = text.startsWith('-') ? -1 : 1
  const parts = [...text.replace(/^[+-]/, '').matchAll(/\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)\s*/gy)]
  const length = parts.reduce((sum, [whole]) => sum + whole.length, 0)
  if (parts.length === 0 || length !== text.replace(/^[+-]/, '').length) return undefined
  return sign * parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit as string] as number), 0)
}

/** Formats milliseconds with a sign, as `readDuration` reads them: `-1d 12h`, `+30s`. Zero is `now`. */
export function durationOf(milliseconds: number): string {
  let rest = Math.abs(milliseconds)
  const parts: string[] = []
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const count = Math.floor(rest / (units[unit] as number))
    rest -= count * (units[unit] as number)
    if (count > 0) parts.push(`${count}${unit}`)
  }
  return parts.length === 0 ? 'now' : `${milliseconds < 0 ? '-' : '+'}${parts.join(' ')}`
}
