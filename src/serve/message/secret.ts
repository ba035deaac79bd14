import { timingSafeEqual } from 'node:crypto'

/** Whether a text is the secret, in a time that does not tell how much of it was right. */
export function isSecret(given: unknown, secret: string): boolean {
  if (typeof given !== 'string') return false
  const [a, b] = [Buffer.from(given), Buffer.from(secret)]
  return a.length === b.length && timingSafeEqual(a, b)
}
