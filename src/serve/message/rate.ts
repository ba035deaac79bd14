import type { RateLimiterRes } from 'rate-limiter-flexible'
import { lazily } from '../../contract/lazy.js'
import { Refusal } from '../../contract/refusal.js'
import { networkOf } from './client.js'

/** The number of visitors who may share one address, as in an office or a school. */
const visitorsPerAddress = 5

/**
 * Limits requests per minute: for each visitor, and several times as many for one address. Before the first cookie, the
 * address counts. Returns the refusal of a request above the limit.
 */
export function createRateLimit(
  perMinute: number
): (address: string, visitor?: string) => Promise<Refusal | undefined> {
  const { RateLimiterMemory } = lazily('rate-limiter-flexible') as typeof import('rate-limiter-flexible')
  const limits = { visitor: perMinute, address: visitorsPerAddress * perMinute }
  const visitors = new RateLimiterMemory({ points: limits.visitor, duration: 60 })
  const addresses = new RateLimiterMemory({ points: limits.address, duration: 60 })

  return async (address, visitor) => {
    const network = networkOf(address)
    const [who, counted] =
      visitor === undefined
        ? (['address', visitors.consume(network)] as const)
        : (['visitor', visitors.consume(visitor)] as const)
    try {
      await counted
    } catch (error) {
      return tooMany(error, limits.visitor, who)
    }
    try {
      await addresses.consume(network)
      return undefined
    } catch (error) {
      return tooMany(error, limits.address, 'address')
    }
  }
}

function tooMany(error: unknown, limit: number, who: string): Refusal {
  if (error instanceof Error) throw error
  const seconds = Math.ceil((error as RateLimiterRes).msBeforeNext / 1000)
  return new Refusal('rate-limited', { limit, who, seconds })
}
