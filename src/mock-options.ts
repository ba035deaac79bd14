import type { JournalEntry } from './contract/types.gen.js'
import type { SandboxLimits } from './mock/sandboxes.js'
import type { StartOptions } from './mock/starts.js'

/** What a mock is made of; every field has a default. */
export interface MockOptions extends StartOptions {
  /** The folder of the contracts and the ledger. Default: those that the mock comes with. */
  contracts?: string
  /** Answer 500 where a reply of the mock breaks its own contract. Default false. */
  strict?: boolean
  /** Origins that pages may call from; `*`, the default, means any. */
  corsOrigin?: string | readonly string[]
  /** Names beside localhost and IP addresses that a Host header may give. */
  allowHost?: string | readonly string[]
  /** `off`: the control API and the dashboard are not there. Default on. */
  control?: 'on' | 'off'
  /** What the control API asks for; needed where others than this machine can reach the mock. Default: nothing. */
  controlToken?: string
  /** The most sandboxes that there may be at once. Default 10000. */
  maxSandboxes?: number
  /** A sandbox that nobody used for so many seconds is dropped. Default 0: none is. */
  sandboxIdle?: number
  /** The most bytes of rows, as JSON, that a sandbox may hold beside those that it started from. Default 256 MiB. */
  maxSandboxBytes?: number
  /** How many exchanges each sandbox's journal keeps. Default 1000. */
  journalEntries?: number
  /** How many bytes each sandbox's journal keeps. Default 16 MiB. */
  journalBytes?: number
  /** The most values that a JSON body of the interface may hold: each costs time. Default 20000. */
  maxJsonValues?: number
  /** The most bytes that the bodies of all requests in progress may hold together. Default 512 MiB. */
  maxUploadBytes?: number
  /** The most milliseconds for which `Prefer: delay` may hold an answer back. Default 3600000, an hour. */
  maxDelay?: number
  /** The secret that signs the cookies of visitors. Default: one made at the start. */
  cookieSecret?: string
  /** How many requests a minute a visitor, or an address without a visitor, may make. Default 0: any number. */
  rateLimit?: number
  /** How many proxies before the mock are trusted to say who asks. Default 0. */
  trustProxy?: number
  /** After so long all starts anew: milliseconds, or a text such as 24h. Default: never. */
  resetEvery?: string | number
  /** Gets what went wrong beside an exchange, or was found wrong in the data. Default: it goes to stderr. */
  onProblem?: (text: string) => void
  /** Called after every answer. */
  onExchange?: (exchange: JournalEntry) => void
}

/** What the options mean for sandboxes and journals. */
export function sandboxLimits(options: MockOptions): SandboxLimits {
  const {
    maxSandboxes = 10_000,
    sandboxIdle = 0,
    maxSandboxBytes = 256 * 1024 * 1024,
    journalEntries = 1000,
    journalBytes = 16 * 1024 * 1024
  } = options
  for (const [name, value, least] of [
    ['maxJsonValues', options.maxJsonValues ?? 1, 1],
    ['maxUploadBytes', options.maxUploadBytes ?? 1, 1],
    ['maxDelay', options.maxDelay ?? 0, 0],
    ['maxSandboxes', maxSandboxes, 1],
    ['sandboxIdle', sandboxIdle, 0],
    ['maxSandboxBytes', maxSandboxBytes, 0],
    ['journalEntries', journalEntries, 1],
    ['journalBytes', journalBytes, 0]
  ] as const) {
    if (!(Number.isFinite(value) && value >= least))
      throw new Error(`${name} is ${value}: give a number from ${least}.`)
  }
  return {
    count: maxSandboxes,
    idle: sandboxIdle * 1000,
    bytes: maxSandboxBytes,
    journal: { entries: Math.floor(journalEntries), bytes: journalBytes }
  }
}

/** A list that may be given as texts between commas. */
export function listOf(value: string | readonly string[] | undefined, fallback: readonly string[]): readonly string[] {
  if (value === undefined) return fallback
  return typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value
}
