import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { Refusal } from '../engine/contract/message/refusal.js'
import type { Engine } from './engine/engine.js'
import { NotDone } from './engine/errors.js'
import type { ProcessSessions } from './engine/process-sessions.js'
import type { LastUses } from './engine/used.js'
import { type Lease, share } from './lease.js'

/** What processes must have in common, each named as its option. */
export type AgreedStart = Record<string, string | number | boolean | null>

/**
 * Agrees with the other processes on the start of sandboxes. Rejects with an Error that names the difference. The agreement of
 * processes that have ended does not count: their sandboxes are checked when they are read.
 */
export async function agreeOnStart(engine: Engine, lives: ProcessSessions, start: AgreedStart): Promise<void> {
  const mine = JSON.stringify(start)
  let seen = ''
  for (let tries = 0; tries < 5; tries++) {
    const agreed = (await engine.run('agree', engine.key('start'), mine, seen)) as string
    if (agreed === mine) return
    if ((await lives.all()).length > 0) throw new Error(differing(engine, start, JSON.parse(agreed) as AgreedStart))
    seen = agreed
  }
  throw new NotDone('other processes begin with other options at the same time')
}

function differing({ address }: Engine, mine: AgreedStart, agreed: AgreedStart): string {
  const names = [...new Set([...Object.keys(mine), ...Object.keys(agreed)])].filter((it) => mine[it] !== agreed[it])
  const told = names.map((name) => `${name} is ${shown(mine[name])} here and ${shown(agreed[name])} there`)
  return `The processes that use ${address.name} have another start: ${told.join('; ')}. Start all of them alike, or give this one another prefix: redis://…?prefix=<name>.`
}

const shown = (value: AgreedStart[string] | undefined) =>
  value === undefined || value === null ? 'not set' : String(value)

/** Rejects with an Error if the engine keeps less than is promised. `say` reports what cannot be found out. */
export async function checkPersistence(engine: Engine, sync: string, say: (text: string) => void): Promise<void> {
  if (sync === 'never') return
  const { name } = engine.address
  let all: Record<string, string>[]
  try {
    const answers = (await engine.askAll('CONFIG', 'GET', 'append*')) as string[][]
    all = answers.map((answer) =>
      Object.fromEntries(answer.flatMap((it, at) => (at % 2 === 0 ? [[it, answer[at + 1] as string]] : [])))
    )
  } catch {
    say(
      `${name} does not tell what it keeps on the disk. See there that appendonly is yes, and appendfsync ${needed(sync)}.`
    )
    return
  }
  for (const found of all) {
    const keeps = found.appendonly === 'yes' ? found.appendfsync : 'no'
    if (keeps === 'always' || (sync === 'second' && keeps === 'everysec')) continue
    throw new Error(
      `${name} would lose changes when it ends: appendonly is ${found.appendonly}, appendfsync ${found.appendfsync}. Set appendonly to yes and appendfsync to ${needed(sync)} there, or give --sync ${found.appendonly === 'yes' && keeps === 'everysec' ? 'second' : 'never'}.`
    )
  }
}

const needed = (sync: string) => (sync === 'always' ? 'always' : 'everysec or always')

/** Reports if the engine has fewer replicas than answers wait for. More may come later. */
export async function checkCopies(engine: Engine, say: (text: string) => void): Promise<void> {
  const { copies, address } = engine
  if (copies === 0) return
  const told = await engine.askAll('INFO', 'replication').catch(() => [])
  const counts = told.map((it) => Number(/^connected_slaves:(\d+)/m.exec(String(it))?.[1] ?? 0))
  const found = Math.min(...counts)
  if (counts.length > 0 && found < copies)
    say(`${address.name} has ${found} replicas, and --copies asks for ${copies}: until it has them, answers are 503.`)
}

interface ResetParts {
  engine: Engine
  lease: Lease
  used: LastUses
}

/**
 * Resets all sandboxes in all processes; with `others`, all but the default one. `tell` makes the other processes renew their
 * leases, and resolves to whether all have. Resolves to the number of sandboxes. Rejects with a Refusal.
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
  // A process that has not renewed its lease by then answers nothing before it has.
  const left = begun + share * lease.length - performance.now()
  if (!isKnown && left > 0) await setTimeout(left)
  return used.sweep(lease.eras).catch(() => 0)
}
