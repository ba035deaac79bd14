import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { Refusal } from '../engine/contract/message/refusal.js'
import type { Engine } from './client/engine.js'
import { NotDone } from './client/errors.js'
import { share } from './lease.js'
import type { Replicas } from './replicas.js'

/** What processes must have in common, each named as its option. */
export type AgreedStart = Record<string, string | number | boolean | null>

/**
 * Agrees with the other processes on the start of sandboxes. Rejects with an Error that names the difference. The agreement of
 * processes that have ended does not count: their sandboxes are checked when they are read.
 */
export async function agreeOnStart(engine: Engine, start: AgreedStart): Promise<void> {
  const keys = [engine.key('start'), engine.key('nodes')]
  const agreed = (await engine.run('agree', keys, JSON.stringify(start), engine.key('node', ''))) as string
  const others = JSON.parse(agreed) as AgreedStart
  const names = [...new Set([...Object.keys(start), ...Object.keys(others)])].filter((it) => start[it] !== others[it])
  if (names.length === 0) return
  const differences = names.map((name) => `${name} is ${shown(start[name])} here and ${shown(others[name])} there`)
  throw new Error(
    `The processes that use ${engine.address.name} have another start: ${differences.join('; ')}. Start all of them alike, or give this one another prefix: redis://…?prefix=<name>.`
  )
}

const shown = (value: AgreedStart[string] | undefined) =>
  value === undefined || value === null ? 'not set' : String(value)

/** Rejects with an Error if the engine keeps less than is promised. Reports what cannot be found out. */
export async function checkPersistence(engine: Engine, sync: string): Promise<void> {
  if (sync === 'never') return
  const { name } = engine.address
  const needed = sync === 'always' ? 'always' : 'everysec or always'
  const answers = (await engine.askAll('CONFIG', 'GET', 'append*').catch(() => {
    engine.options.say(
      `${name} does not tell what it keeps on the disk. See there that appendonly is yes, and appendfsync ${needed}.`
    )
    return []
  })) as string[][]
  for (const answer of answers) {
    const [only, fsync] = ['appendonly', 'appendfsync'].map((it) => answer.find((_, at) => answer[at - 1] === it))
    const isOn = only === 'yes'
    if (isOn && (fsync === 'always' || (sync === 'second' && fsync === 'everysec'))) continue
    throw new Error(
      `${name} would lose changes when it ends: appendonly is ${only}, appendfsync ${fsync}. Set appendonly to yes and appendfsync to ${needed} there, or give --sync ${isOn && fsync === 'everysec' ? 'second' : 'never'}.`
    )
  }
}

/** Reports if the engine has fewer replicas than answers wait for. More may come later. */
export async function checkCopies(engine: Engine): Promise<void> {
  const { copies, say } = engine.options
  if (copies === 0) return
  const answers = await engine.askAll('INFO', 'replication').catch(() => [])
  const counts = answers.map((it) => Number(/^connected_slaves:(\d+)/m.exec(String(it))?.[1] ?? 0))
  const least = Math.min(...counts)
  if (counts.length > 0 && least < copies)
    say(
      `${engine.address.name} has ${least} replicas, and --copies asks for ${copies}: until it has them, answers are 503.`
    )
}

/**
 * Resets all sandboxes in all processes; with `others`, all but the default one. `renewAll` makes the other processes renew
 * their leases, and resolves to whether all have. Resolves to the number of sandboxes. Rejects with a Refusal.
 */
export async function beginEra(
  { engine, lease, used }: Replicas,
  which: 'all' | 'others',
  renewAll: () => Promise<boolean>
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
  const isKnown = lease.isGood && (await renewAll())
  // A process that has not renewed its lease by then answers nothing before it has.
  const wait = begun + share * lease.length - performance.now()
  if (!isKnown && wait > 0) await setTimeout(wait)
  return used.sweep(lease.eras).catch(() => 0)
}
