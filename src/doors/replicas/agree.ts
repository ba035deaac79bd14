import { createHash } from 'node:crypto'
import { packageVersion } from '../../contract/load.js'
import type { StateOptions } from '../../mock/persistence/state-log.js'
import type { AgreedStart } from '../../mock/replicas/start.js'
import type { SettledServer } from '../options/table.js'

/** Throws an Error that names an option that several processes need, or cannot have. */
export function checkOptions({
  host,
  peer,
  controlToken,
  cookieSecret,
  control,
  watch,
  upstream,
  ...options
}: SettledServer): void {
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
export function startOf(options: SettledServer, { contract }: StateOptions): AgreedStart {
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
