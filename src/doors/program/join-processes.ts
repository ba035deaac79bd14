import { createHash, createHmac } from 'node:crypto'
import { packageVersion } from '../../engine/contract/load.js'
import type { StateOptions } from '../../engine/keep/state-log.js'
import { isEngine, readEngine } from '../../redis/client/address.js'
import type { ClusterMember } from '../../redis/processes/cluster.js'
import type { AgreedStart } from '../../redis/start.js'
import type { SettledServer } from '../options/table.js'

/** Joins other processes that share the state, if there are some. Rejects with a DataError, or names an option. */
export async function joinProcesses(
  options: SettledServer,
  state: () => StateOptions
): Promise<ClusterMember | undefined> {
  const { data, sandboxIdle, resetEvery: every = 0, onProblem: say = console.error, public: isPublic } = options
  if (data === undefined || !isEngine(data)) return undefined
  const { join } = await import('../../redis/processes/cluster.js')
  const address = readEngine(data)
  checkOptions(options)
  const start = startOf(options, state())
  const secret = secretOf(options, address.prefix)
  return join(address, { ...options, idle: sandboxIdle * 1000, every, isPublic, secret, start, say }, state())
}

/** A secret that all processes with the same options share. Undefined: the options have none. */
function secretOf({ peerSecret, controlToken }: SettledServer, prefix: string): string | undefined {
  if (peerSecret !== undefined || controlToken === undefined) return peerSecret
  return createHmac('sha256', controlToken).update(`peers of ${prefix}`).digest('base64url')
}

/** Throws an Error that names an option that several processes need, or cannot have. */
function checkOptions(options: SettledServer): void {
  const { host, peer, controlToken, cookieSecret, control, watch, upstream } = options
  const needs = 'data (--data) is a Redis, which several processes share:'
  if (control === 'on' && controlToken === undefined)
    throw new Error(
      `${needs} set controlToken (--control-token) to the same in all of them, or control (--control) to off.`
    )
  if (options.public && cookieSecret === undefined)
    throw new Error(`${needs} set cookieSecret (--cookie-secret) to the same in all of them.`)
  if (peer === undefined && ['0.0.0.0', '::'].includes(host))
    throw new Error(
      `${needs} set peer (--peer) to the address at which the others reach this one, such as http://10.0.0.4:4010.`
    )
  if (watch) throw new Error(`${needs} watch (--watch) would change one of them alone.`)
  if (upstream) throw new Error(`${needs} a proxy keeps no state to share.`)
}

/** What all processes must have in common: contracts, version, and the start of sandboxes. */
function startOf(options: SettledServer, { contract }: StateOptions): AgreedStart {
  const { seed, fixtures, scale, now, profile, assume, auth, scenario, overrides, sandboxIdle } = options
  return {
    format: 1,
    version: packageVersion(),
    contract: contract.slice(0, 16),
    seed,
    fixtures,
    scale,
    now: now ?? null,
    profile,
    assume: assume === undefined ? null : JSON.stringify(assume),
    auth,
    public: options.public,
    scenario: scenario ?? null,
    overrides: overrides ?? null,
    'sandbox-idle': sandboxIdle,
    'reset-every': options.resetEvery ?? null,
    copies: options.copies,
    // A part of their digests: the engine should not have them.
    'control-token': digestOf(options.controlToken),
    'peer-secret': digestOf(options.peerSecret)
  }
}

function digestOf(secret: string | undefined): string | null {
  return secret === undefined ? null : createHash('sha256').update(secret).digest('hex').slice(0, 8)
}
