/** A moment in UTC, in the mock's format. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} class="number">
      {at.slice(0, 10)} {at.slice(11, 19)}
    </time>
  )
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000]
] as const

/** A duration in its two largest units, such as "2 h 5 min". */
export function duration(milliseconds: number): string {
  const first = units.findIndex(([, size]) => milliseconds >= size)
  if (first < 0) return milliseconds < 1 ? 'now' : `${Math.round(milliseconds)} ms`
  const parts: string[] = []
  let rest = milliseconds
  for (const [unit, size] of units.slice(first, first + 2)) {
    const number = Math.floor(rest / size)
    rest -= number * size
    if (number > 0) parts.push(`${number} ${unit}`)
  }
  return parts.join(' ')
}

export function milliseconds(value: number): string {
  return `${value >= 100 ? Math.round(value) : value.toPrecision(2)} ms`
}

/** The time of day on this machine, such as 14:03:22.123. */
export function wallTime(at: string): string {
  const date = new Date(at)
  const [hours, minutes, seconds] = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits)
  return `${hours}:${minutes}:${seconds}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** A moment of the mock's clock in UTC, such as 03-02 10:00:00. */
export function mockTime(at: string): string {
  return `${at.slice(5, 10)} ${at.slice(11, 19)}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
