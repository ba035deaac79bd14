import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { Refusal } from '../../contract/message/refusal.js'
import type { Engine } from './engine/engine.js'
import { NotDone } from './engine/errors.js'
import type { LastUses } from './engine/used.js'
import { type Lease, share } from './lease.js'

interface ResetParts {
  engine: Engine
  lease: Lease
  used: LastUses
}

/**
 * Begins all sandboxes anew, in all processes: with `others`, all but the default one. `tell` has the other processes renew
 * their leases, and resolves to whether all have. Resolves to how many sandboxes that were. Rejects with a Refusal.
 */
export async function beginEra(
  { engine, lease, used }: ResetParts,
  which: 'all' | 'others',
  tell: () => Promise<boolean>
): Promise<number> {
  try {
    await engine.run('begin', [engine.key('eras'), engine.key('lost')], which)
  } catch (error) {
    const reason = (error as Error).message
    throw error instanceof NotDone
      ? new Refusal('engine-away', { reason })
      : new Refusal('outcome-unknown', { name: 'default', reason: 'the engine of --data did not answer' })
  }
  const begun = performance.now()
  await lease.confirmed().catch(() => {})
  const isKnown = lease.isGood && (await tell())
  // Who has not renewed its lease by then answers nothing before it has.
  const left = begun + share * lease.length - performance.now()
  if (!isKnown && left > 0) await setTimeout(left)
  return used.sweep(lease.eras).catch(() => 0)
}
