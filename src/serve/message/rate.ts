import type { RateLimiterRes } from 'rate-limiter-flexible'
import { lazily } from '../../contract/lazy.js'
import { Refusal } from '../../contract/message/refusal.js'
import { networkOf } from './client.js'

/** The number of visitors who may share one address, as in an office or a school. */
const visitorsPerAddress = 5

/** A Redis, where several processes count together. */
export interface RateStore {
  /** The part of a Redis client that is used. */
  client: { eval(script: string, given: { keys: string[]; arguments: string[] }): Promise<unknown> }
  /** What its keys begin with. */
  prefix: string
}

/**
 * Limits requests per minute: for each visitor, and several times as many for one address. Before the first cookie, the
 * address counts. Returns the refusal of a request above the limit. While the store is away, each process counts alone.
 */
export function createRateLimit(
  perMinute: number,
  store?: RateStore
): (address: string, visitor?: string) => Promise<Refusal | undefined> {
  const { RateLimiterMemory, RateLimiterRedis } = lazily(
    'rate-limiter-flexible'
  ) as typeof import('rate-limiter-flexible')
  const limits = { visitor: perMinute, address: visitorsPerAddress * perMinute }
  const limiterOf = (who: keyof typeof limits) => {
    const limit = { points: limits[who], duration: 60 }
    const alone = new RateLimiterMemory(limit)
    if (!store) return alone
    return new RateLimiterRedis({
      ...limit,
      storeClient: store.client,
      useRedisPackage: true,
      keyPrefix: `${store.prefix}:${who}`,
      inMemoryBlockOnConsumed: limit.points,
      insuranceLimiter: alone
    })
  }
  const [visitors, addresses] = [limiterOf('visitor'), limiterOf('address')]

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
