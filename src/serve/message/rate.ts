import type { RateLimiterRes } from 'rate-limiter-flexible'
import { lazily } from '../../contract/lazy.js'
import { Refusal } from '../../contract/message/refusal.js'
import { networkOf } from './client.js'

/** The number of visitors who may share one address, as in an office or a school. */
const visitorsPerAddress = 5

/** Where several processes count together: a Redis, or one of them. It rejects as the library does. */
export type RateStore = RedisStore | ((who: RateSubject, key: string) => Promise<void>)

/** What is counted. */
export type RateSubject = 'visitor' | 'address'

interface RedisStore {
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
  const limits = limitsOf(perMinute)
  const limiterOf = (who: RateSubject) => {
    if (typeof store === 'function') return { consume: (key: string) => store(who, key) }
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

/** Counts for several processes. Resolves to the milliseconds until the next request, if there were too many. */
export function createCount(perMinute: number): (who: RateSubject, key: string) => Promise<number | undefined> {
  if (perMinute === 0) return async () => undefined
  const { RateLimiterMemory } = lazily('rate-limiter-flexible') as typeof import('rate-limiter-flexible')
  const limits = limitsOf(perMinute)
  const limiterOf = (who: RateSubject) => new RateLimiterMemory({ points: limits[who], duration: 60 })
  const limiters = { visitor: limiterOf('visitor'), address: limiterOf('address') }
  return (who, key) =>
    limiters[who].consume(key).then(
      () => undefined,
      ({ msBeforeNext }: RateLimiterRes) => msBeforeNext
    )
}

const limitsOf = (perMinute: number) => ({ visitor: perMinute, address: visitorsPerAddress * perMinute })

function tooMany(error: unknown, limit: number, who: string): Refusal {
  if (error instanceof Error) throw error
  const seconds = Math.ceil((error as RateLimiterRes).msBeforeNext / 1000)
  return new Refusal('rate-limited', { limit, who, seconds })
}
