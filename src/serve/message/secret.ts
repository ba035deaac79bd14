import { timingSafeEqual } from 'node:crypto'

/** Compares a text with the secret, in constant time. */
export function isSecret(given: unknown, secret: string): boolean {
  if (typeof given !== 'string') return false
  const [a, b] = [Buffer.from(given), Buffer.from(secret)]
  return a.length === b.length && timingSafeEqual(a, b)
}
