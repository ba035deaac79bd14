import type { Edition } from '../../mock/ledger/edition.js'
import type { Sandboxes } from '../../mock/sandbox/sandboxes.js'
import { keysToName } from '../../serve/admit.js'
import { needsTls, type SignInDoor } from '../../serve/control/sign-in.js'
import { createGate, type Gate, type RateStore } from '../../serve/gate.js'
import { type CallerOf, createCallerOf, usualCookie } from '../../serve/message/caller.js'
import { clientOf } from '../../serve/message/client.js'
import type { SettledMock } from '../options/mock-table.js'
import type { Scenarios } from './scenarios/scenarios.js'

/** Authentication, guards before it, and browser sign-in. */
export interface Access {
  callerOf: CallerOf
  gate: Gate
  signIn: SignInDoor
}

interface AccessParts {
  edition: () => Edition
  sandboxes: Sandboxes
  startAnew: () => void
  rateStore: RateStore | undefined
  /** When the next full reset is. Undefined: this process resets by itself. */
  nextReset: (() => number | undefined) | undefined
  /** Milliseconds since 1970. */
  realTime: () => number
  scenarios: () => Scenarios
  /** Whether tokens may name a sandbox. */
  namesSandboxes: boolean
  /** Gets what is worth knowing. */
  say: (text: string) => void
}

/** Throws an Error if the options name a user that the mock does not start with. */
export function createAccess(options: SettledMock, inside: AccessParts): Access {
  const { tokenCookie: cookie = usualCookie, anonymous, trustProxy: proxies, corsOrigin } = options
  const trustsCookie = options.tokenCookie !== undefined
  const { edition, sandboxes, startAnew, nextReset, rateStore, realTime, namesSandboxes } = inside
  if (needsTls(cookie) && proxies === 0) {
    inside.say(
      `tokenCookie is ${cookie}: browsers take a cookie of this name over HTTPS only. Put a proxy with TLS before the mock, or leave the prefix out.`
    )
  }
  if (anonymous !== undefined) checkAnonymous(anonymous, edition())
  const callerOf = createCallerOf({ cookie, trustsCookie, anonymous, namesSandboxes })
  return {
    callerOf,
    gate: createGate({
      isPublic: options.public,
      cookieSecret: options.cookieSecret,
      rateLimit: options.rateLimit,
      proxies,
      resetEvery: options.resetEvery,
      startAnew,
      nextReset,
      rateStore,
      corsOrigin,
      controlOperation(method, path) {
        if (options.control === 'off') return undefined
        const { choices, contractOf } = edition()
        const match = contractOf(choices).matchControl(method === 'HEAD' ? 'GET' : method, path)
        return match.kind === 'operation' ? match.operation : undefined
      },
      sandboxes,
      callerOf,
      realTime
    }),
    signIn: {
      cookie,
      trustsCookie,
      corsOrigin,
      isSecure: ({ request }) => clientOf(request, proxies).isSecure,
      isShared: options.public || options.controlToken !== undefined,
      scenarios: () => [...inside.scenarios().all().keys()],
      play: (name, scenario, gone) => inside.scenarios().play(name, scenario, { gone }),
      rowsOf: (name) => sandboxes.existing(name)?.rows ?? edition().startOf().rows
    }
  }
}

/** A wrong key would reject every request without a token. */
function checkAnonymous(key: string, edition: Edition): void {
  const { rows } = edition.startOf()
  if (rows.users.first('byKey', key)) return
  const known = keysToName(rows).join(', ')
  throw new Error(`anonymous is ${key}: give the key of a user, one of ${known}.`)
}
