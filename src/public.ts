import type { Choices } from './contract/load.js'
import { pairsOf } from './mock/assumptions.js'
import { durationForms, readDuration } from './mock/duration.js'
import type { MockOptions } from './mock-options.js'

/** What a mock that anybody may visit has where the options say nothing else: one visitor costs little. */
const defaults = {
  sandboxIdle: 3600,
  maxSandboxes: 1000,
  maxSandboxBytes: 128 * 1024,
  journalEntries: 100,
  journalBytes: 256 * 1024,
  rateLimit: 300,
  maxDelay: 5000,
  maxUploadBytes: 64 * 1024 * 1024
} satisfies MockOptions

const smallUploads = ['limits.upload', 'files:5,total:5,json:1,entries:100,unpacked:20'] as const

/** The options, with what `public` changes in those that are not given. */
export function withPublicDefaults<T extends MockOptions>(options: T): T {
  if (!options.public) return options
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const assume = [smallUploads, ...pairsOf(options.assume ?? [])].map((pair) => pair.join('='))
  return { ...defaults, ...given, assume } as unknown as T
}

/** What the options mean for the entrance. Throws an Error that names the good values. */
export function entranceLimits({ rateLimit = 0, trustProxy = 0, resetEvery }: MockOptions) {
  for (const [name, value] of Object.entries({ rateLimit, trustProxy })) {
    if (!(Number.isSafeInteger(value) && value >= 0))
      throw new Error(`${name} is ${value}: give a whole number from 0.`)
  }
  const every = resetEvery === undefined ? undefined : readDuration(resetEvery)
  if (resetEvery !== undefined && !(every !== undefined && every > 0)) {
    throw new Error(`resetEvery is ${resetEvery}: give a duration above 0. ${durationForms}`)
  }
  return { rateLimit, proxies: trustProxy, resetEvery: every }
}

/** What was kept may be of a time when secrets were shown. */
export function withMasking(choices: Choices): Choices {
  return { ...choices, 'credential.masking': 'masked' }
}
