import { randomBytes } from 'node:crypto'
import { inMap } from '../../engine/contract/once.js'
import type { Cluster, SandboxInfo } from '../../engine/contract/types.gen.js'
import type { AllSandboxes, ClusterParts } from '../../engine/control/rule.js'
import { DataError, type Edge } from '../../engine/keep/edge.js'
import type { SyncMode } from '../../engine/keep/log.js'
import type { StateOptions } from '../../engine/keep/state-log.js'
import { gauge, type Metric } from '../../engine/metrics/exposition.js'
import { timestamp } from '../../engine/sandbox/clock.js'
import type { Sandbox } from '../../engine/sandbox/sandbox.js'
import type { RateStore } from '../../engine/serve/gate.js'
import type { Request } from '../../engine/serve/message/message.js'
import type { SandboxOwners } from '../../engine/serve/owners.js'
import type { EngineAddress } from '../client/address.js'
import { clientFor } from '../client/clients.js'
import { Engine, type EngineOptions } from '../client/engine.js'
import { nodeOf } from '../lease.js'
import { type ReplicaOptions, Replicas } from '../replicas.js'
import { type AgreedStart, agreeOnStart, beginEra, checkCopies, checkPersistence } from '../start.js'
import { Everybody, type Replies } from './everybody.js'
import { Forwarder } from './forward.js'
import { carried, Signed } from './signed.js'

/** After this time without use, a sandbox leaves memory. */
const sleep = 60_000

const mostAsleep = 1000

/** The options of a process among others. */
interface MemberOptions extends Omit<ReplicaOptions, 'sleep'>, Omit<EngineOptions, 'patience'> {
  sync: SyncMode
  /** Where others reach this process, if not where it listens. */
  peer?: string | undefined
  /** What processes sign their requests with. Undefined: they share a secret in the engine. */
  secret: string | undefined
  start: AgreedStart
}

interface ProcessReports {
  /** The most recently used first. */
  sandboxes: () => (SandboxInfo & { usedAt: number })[]
  metrics: () => Metric[]
}

interface SandboxReport {
  sandboxes: ReturnType<ProcessReports['sandboxes']>
  /** The names that it has without a sandbox, because a client only read there. */
  unmade: string[]
}

/** This process among others that share an engine. */
export type ClusterMember = Awaited<ReturnType<typeof join>>

/** The other processes, as a mock sees them. */
export type JoinedProcesses = Omit<ClusterMember, 'edge' | 'realTime' | 'problem' | 'begin' | 'leave' | 'close'>

/** Joins the processes that share an engine. Rejects with a DataError. */
export async function join(address: EngineAddress, options: MemberOptions, state: StateOptions) {
  const { lease: patience, copies, idle, every, isPublic, secret, start, say } = options
  const { prefix } = state.api
  const create = clientFor(address)
  const engine = await dataError(Engine.connect(create, address, { patience, copies, idle, say }))
  const sleepAfter = idle > 0 ? Math.min(sleep, idle / 10) : sleep
  const replicas = new Replicas(engine, { lease: patience, sleep: sleepAfter, isPublic, every }, state)
  const { counts, lease, lives, owned, used } = replicas
  const { node } = lease
  const prepare = async () => {
    await checkPersistence(engine, options.sync)
    await lease.readTime()
    await checkCopies(engine)
    await agreeOnStart(engine, start)
    return new Signed(secret ?? (await sharedSecret(engine)))
  }
  const signed = await dataError(prepare()).catch((error) => {
    engine.close()
    throw error
  })
  /** The engine may have lost its data: then the running processes agree again. */
  replicas.begun = () => {
    const agreed = async () => {
      await agreeOnStart(engine, start).catch(() => {})
      if (secret === undefined) signed.secret = await sharedSecret(engine, signed.secret)
    }
    agreed().catch(() => {})
  }
  const forwarder = new Forwarder(signed, replicas)
  let reports: ProcessReports = { sandboxes: () => [], metrics: () => [] }
  const everybody = new Everybody({
    node,
    signed,
    patience: Math.min(patience, 3000),
    others: () => lives.others(),
    answers: {
      sandboxes(): SandboxReport {
        const sandboxes = reports.sandboxes()
        const names = new Set(sandboxes.map(({ name }) => name))
        return { sandboxes, unmade: [...owned.keys()].filter((name) => !names.has(name)) }
      },
      metrics: () => reports.metrics(),
      renew: () => lease.confirmed(),
      counts: () => ({ owned: owned.size, lost_entries: counts.lost })
    }
  })
  let own = ''
  const nextReset = () => (lease.eras.next > 0 ? lease.eras.next : undefined)
  const cluster: ClusterParts = {
    hold: (name, from, at) => replicas.hold(name, from, at),
    async about(): Promise<Cluster> {
      const { reports, silent } = await everybody.ask('counts')
      const others = (await lives.others()).map(({ life, address }) => ({ node: nodeOf(life), address }))
      const { emptied, lost } = lease.eras
      const byNode = new Map(reports.map(({ node, report }) => [node, report]))
      return {
        node,
        address: own,
        engine: address.name,
        prefix: address.prefix,
        lease_ms: patience,
        copies,
        nodes: [{ node, address: own }, ...others].map((it) => ({ ...it, ...byNode.get(it.node) })),
        lost_entries: reports.reduce((sum, { report }) => sum + report.lost_entries, 0),
        problem: lease.problem ?? null,
        emptied_at: emptied > 0 ? timestamp(emptied) : null,
        lost_sandboxes: lost,
        resets_at: every > 0 ? timestamp(nextReset() ?? 0) : null,
        silent
      }
    },
    async sandboxes() {
      const replies = await everybody.ask('sandboxes')
      const names = replies.reports.flatMap(({ report: { sandboxes, unmade } }) => [
        ...sandboxes.map(nameOf),
        ...unmade
      ])
      const awake = new Set(names)
      const { total, latest } = await used.latest(awake.size + mostAsleep).catch((error: Error) => {
        replies.silent.push({ node: address.name, reason: error.message })
        return { total: 0, latest: [] }
      })
      const asleep = latest.filter(({ name }) => !awake.has(name))
      return sandboxesIn(replies, asleep, Math.max(0, total - (latest.length - asleep.length)))
    },
    async metrics() {
      const replies = await everybody.ask('metrics')
      const usage = await used.latest(1).catch(() => undefined)
      const all = 'Sandboxes in the engine, asleep or not.'
      return metricsIn(prefix, replies, usage ? [gauge(`${prefix}_engine_sandboxes`, all, usage.total)] : [])
    },
    drop: (which) => beginEra(replicas, which, async () => (await everybody.ask('renew')).silent.length === 0)
  }
  const owners: SandboxOwners = Object.assign(replicas, {
    node,
    asked: (request: Request) => everybody.answer(request),
    received: (request: Request) => signed.read(request),
    forward: (...of: Parameters<Forwarder['forward']>) => forwarder.forward(...of),
    carried
  })
  /** Where the processes count requests together. */
  const rateStore: RateStore = {
    prefix: engine.key('rate'),
    client: { eval: (script, { keys, arguments: values }) => engine.evaluate(script, keys, values) }
  }
  return {
    edge: replicas.edge as Edge,
    owners,
    cluster,
    metrics: () => metricsOf(prefix, replicas),
    rateStore,
    /** Receives the functions that report about this process. */
    reportBy(reporters: ProcessReports) {
      reports = reporters
    },
    /** When all sandboxes are reset, in milliseconds since 1970. Undefined: never automatically. */
    nextReset,
    /** Whether a sandbox lives here. */
    owns: (name: string) => owned.has(name),
    /** Calls `readied` with each sandbox that is read. */
    onRead(readied: (sandbox: Sandbox) => void) {
      replicas.readied = readied
    },
    /** Milliseconds since 1970, by a clock that all processes share. */
    realTime: () => lease.engineTime,
    /** Why it cannot keep changes now, or not even answer. Undefined: it can. */
    problem: () => lease.problem,
    /** Where others reach this process, once it listens. */
    async begin(url: string) {
      own = options.peer ?? url
      await replicas.begin(own)
    },
    /** The first step of a stop: the others take over, while this process finishes its requests. */
    leave: () => replicas.drain(),
    async close() {
      await replicas.close()
      forwarder.close()
      everybody.close()
    }
  }
}

async function dataError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new DataError((error as Error).message)
  }
}

/** A secret in the engine. A reader of the engine knows everything anyway. `own`: what this process has used so far. */
async function sharedSecret(engine: Engine, own?: string): Promise<string> {
  const key = engine.key('secret')
  await engine.ask('SET', key, own ?? randomBytes(32).toString('base64url'), 'NX')
  return (await engine.ask('GET', key)) as string
}

const nameOf = ({ name }: { name: string }) => name

function sandboxesIn(
  { reports, silent }: Replies<SandboxReport>,
  asleep: { name: string; usedAt: number }[],
  total: number
): AllSandboxes {
  const all = reports.flatMap(({ report }) => report.sandboxes).sort((a, b) => a.usedAt - b.usedAt)
  // A sandbox that is moving may be reported twice.
  const awake = [...new Map(all.map((it) => [it.name, it])).values()].sort((a, b) => b.usedAt - a.usedAt)
  const sleepers = asleep.slice(0, mostAsleep).map(({ name, usedAt }) => ({ name, used_at: timestamp(usedAt) }))
  return {
    sandboxes: awake.map(({ usedAt: _, ...info }) => info),
    asleep: { total, sandboxes: sleepers },
    silent
  }
}

/** The metrics of all processes, each sample with its process in the label `node`, and those of the engine that they share. */
function metricsIn(prefix: string, { reports, silent }: Replies<Metric[]>, shared: Metric[]): Metric[] {
  const byName = new Map<string, Metric>()
  for (const { node, report } of reports) {
    for (const { samples, ...metric } of report) {
      const total = inMap(byName, metric.name, (): Metric => ({ ...metric, samples: [] }))
      total.samples.push(...samples.map((it) => ({ ...it, labels: { node, ...it.labels } })))
    }
  }
  const up = gauge(`${prefix}_process_answers`, 'Whether a process answered when it was asked for its metrics.', 0)
  const isUp = (value: number) => {
    return ({ node }: { node: string }) => ({ labels: { node }, value })
  }
  return [...byName.values(), { ...up, samples: [...reports.map(isUp(1)), ...silent.map(isUp(0))] }, ...shared]
}

function metricsOf(prefix: string, { counts, owned }: Replicas): Metric[] {
  const counters = {
    forwarded_total: [counts.forwarded, 'Requests that were passed on to another process.'],
    claims_total: [counts.claims, 'Sandboxes that this process has claimed.'],
    fenced_total: [counts.fenced, 'Changes that were refused because the sandbox had moved.'],
    unknown_total: [counts.unknown, 'Changes of which it is not known whether they were kept.'],
    too_few_copies_total: [counts.tooFew, 'Changes that too few replicas of the engine had.'],
    engine_lost_entries: [counts.lost, 'Entries that were kept and that the engine has lost.']
  } as const
  return [
    gauge(`${prefix}_sandboxes_owned`, 'Sandboxes that this process owns.', owned.size),
    ...Object.entries(counters).map(([name, [value, help]]): Metric => {
      return { ...gauge(`${prefix}_${name}`, help, value), type: 'counter' }
    }),
    {
      name: `${prefix}_append_seconds`,
      type: 'histogram',
      help: 'Time that the engine took to keep changes.',
      samples: [
        { suffix: '_bucket', labels: { le: '+Inf' }, value: counts.appends },
        { suffix: '_sum', value: counts.appendSeconds },
        { suffix: '_count', value: counts.appends }
      ]
    }
  ]
}
