import { createHash, createHmac, randomBytes } from 'node:crypto'
import { lazily } from '../../engine/contract/lazy.js'
import { packageVersion } from '../../engine/contract/load.js'
import type { Cluster } from '../../engine/contract/types.gen.js'
import type { ClusterParts } from '../../engine/control/rule.js'
import { DataError, type Edge } from '../../engine/keep/edge.js'
import type { StateOptions } from '../../engine/keep/state-log.js'
import { gauge, type Metric } from '../../engine/metrics/exposition.js'
import { timestamp } from '../../engine/sandbox/clock.js'
import type { Sandbox } from '../../engine/sandbox/sandbox.js'
import type { StartOptions } from '../../engine/sandbox/starts.js'
import type { RateStore } from '../../engine/serve/gate.js'
import type { SandboxOwners } from '../../engine/serve/owners.js'
import { ClusterClient, type ClusterOf } from '../engine/cluster-client.js'
import { type Client, Engine, type EngineAddress } from '../engine/engine.js'
import { SentinelClient } from '../engine/sentinel.js'
import { Replicas } from '../replicas.js'
import { type AgreedStart, agreeOnStart, beginEra, checkCopies, checkPersistence } from '../start.js'
import { readEngine } from './address.js'
import { Everybody } from './everybody.js'
import { Forwarder } from './forward.js'
import { metricsIn, type SandboxReport, sandboxesIn } from './one-answer.js'
import { carried, Signed } from './signed.js'

const name = '@redis/client'

interface Package {
  createClient: (options: object) => Client
  createCluster: (options: object) => ClusterOf
}

/** Creates the client for an address. Throws an Error if the package is missing. */
export function clientFor(address: EngineAddress): (options: { socket: object; [name: string]: unknown }) => Client {
  const { createClient, createCluster } = loaded()
  const { nodes = [], sentinel, login } = address
  if (sentinel !== undefined)
    return (options) => new SentinelClient({ create: createClient, name: sentinel, sentinels: nodes, login, options })
  if (nodes.length === 0) return createClient
  return ({ socket, ...options }) => {
    const rootNodes = nodes.map((node) => ({ socket: node }))
    return new ClusterClient(createCluster({ ...options, rootNodes, defaults: { ...options, socket } }))
  }
}

function loaded(): Package {
  try {
    return lazily(name) as Package
  } catch {
    throw new Error(
      `data (--data) is a Redis: that needs the package ${name} beside knowledge-chat-mock: npm install ${name}`
    )
  }
}

/** After this time without use, a sandbox leaves memory. A request wakes it in any process. */
const sleep = 60_000

/** The highest number of sleeping sandboxes that are listed. */
const mostAsleep = 1000

/** What processes that share the state can ask each other. */
interface ProcessReports {
  sandboxes: () => SandboxReport['sandboxes']
  metrics: () => Metric[]
}

/** The other processes, as a mock sees them. */
export interface JoinedProcesses {
  owners: SandboxOwners
  metrics: () => Metric[]
  cluster: ClusterParts
  /** Receives the functions that report about this process. */
  tells: (own: ProcessReports) => void
  /** Where the processes count requests together. */
  rateStore?: RateStore
  /** When all sandboxes are reset, in milliseconds since 1970. Undefined: never automatically. */
  nextReset: () => number | undefined
  /** Whether a sandbox lives here. */
  owns: (name: string) => boolean
  /** Calls `readied` with each sandbox that is read. */
  onRead: (readied: (sandbox: Sandbox) => void) => void
}

/** The options of a mock that concern the processes with which it shares its state. */
interface ClusterOptions
  extends StartOptions,
    Partial<Record<'peer' | 'peerSecret' | 'controlToken' | 'cookieSecret' | 'scenario' | 'overrides', string>> {
  auth: 'strict' | 'any'
  public: boolean
  host: string
  control: string
  watch: boolean
  upstream?: unknown
  lease: number
  sync: string
  copies: number
  /** Seconds. */
  sandboxIdle: number
  resetEvery?: number
  onProblem?: (text: string) => void
}

/** This process among others that share an engine. */
export interface ClusterMember {
  /** What keeps the state. */
  edge: Edge
  /** What the mock needs from it. */
  around: JoinedProcesses
  /** Milliseconds since 1970, by a clock that all processes share. */
  realTime: () => number
  /** Why it cannot keep changes now, or not even answer. Undefined: it can. */
  problem: () => string | undefined
  /** Where others reach this process, once it listens. */
  begin(url: string): Promise<void>
  /** The first step of a stop: the others take over, while this process finishes its requests. */
  leave(): Promise<void>
  close(): Promise<void>
}

/** Joins the processes that share an engine. Rejects with a DataError, or with an Error that names an option. */
export async function join(data: string, options: ClusterOptions, state: StateOptions): Promise<ClusterMember> {
  const address = readEngine(data)
  checkOptions(options)
  const { lease, sync, copies, sandboxIdle, resetEvery = 0, onProblem: say = console.error } = options
  const engine = await dataError(Engine.connect(clientFor(address), address, lease, say))
  engine.copies = copies
  const idle = sandboxIdle * 1000
  const sleepAfter = idle > 0 ? Math.min(sleep, idle / 10) : sleep
  const replicas = new Replicas(
    engine,
    { lease, idle, sleep: sleepAfter, isPublic: options.public, every: resetEvery },
    state
  )
  const { counts, lives, owned, used } = replicas
  const { node } = replicas.lease
  const given = givenSecret(options, address.prefix)
  const start = startOf(options, state)
  const signed = await dataError(
    (async () => {
      await checkPersistence(engine, sync, say)
      await replicas.lease.readTime()
      await checkCopies(engine, say)
      await agreeOnStart(engine, lives, start)
      return new Signed(given ?? (await sharedSecret(engine)))
    })()
  ).catch((error) => {
    engine.close()
    throw error
  })
  /** The engine may have lost its data: then the running processes agree again. */
  replicas.begun = () => {
    const agreed = async () => {
      await engine.run('agree', engine.key('start'), JSON.stringify(start), '')
      if (given === undefined) signed.secret = await sharedSecret(engine, signed.secret)
    }
    agreed().catch(() => {})
  }
  const forwarder = new Forwarder({
    signed,
    lease,
    isThere: async (life) => (await lives.addressOf(life)) !== undefined,
    misled: (name, place) => replicas.misled(name, place)
  })
  let told: ProcessReports = { sandboxes: () => [], metrics: () => [] }
  const everybody = new Everybody({
    node,
    signed,
    patience: Math.min(lease, 3000),
    others: () => lives.others(),
    answers: {
      sandboxes(): SandboxReport {
        const sandboxes = told.sandboxes()
        const made = new Set(sandboxes.map(({ name }) => name))
        return { sandboxes, unmade: [...owned.keys()].filter((name) => !made.has(name)) }
      },
      metrics: () => told.metrics(),
      renew: () => replicas.lease.confirmed(),
      counts: () => ({ owned: owned.size, lost_entries: counts.lost })
    }
  })
  let own = ''
  const about = async (): Promise<Cluster> => {
    const heard = await everybody.ask('counts')
    const addresses = (await lives.others()).map((it) => [it.node, it.address] as const)
    const { emptied, lost } = replicas.lease.eras
    const byNode = new Map(heard.told.map(({ node, told }) => [node, told]))
    return {
      node,
      address: own,
      engine: address.name,
      prefix: address.prefix,
      lease_ms: lease,
      copies,
      nodes: [[node, own] as const, ...addresses].map(([node, address]) => ({ node, address, ...byNode.get(node) })),
      lost_entries: heard.told.reduce((sum, { told }) => sum + told.lost_entries, 0),
      problem: replicas.lease.problem ?? null,
      emptied_at: emptied > 0 ? timestamp(emptied) : null,
      lost_sandboxes: lost,
      resets_at: resetEvery > 0 ? timestamp(nextReset() ?? 0) : null,
      silent: heard.silent
    }
  }
  const nextReset = () => {
    const { eras } = replicas.lease
    return eras.next > 0 ? eras.next : undefined
  }
  const sandboxes = async () => {
    const heard = await everybody.ask('sandboxes')
    const awake = new Set(heard.told.flatMap(({ told: it }) => [...it.sandboxes.map(({ name }) => name), ...it.unmade]))
    const { total, latest } = await used.latest(awake.size + mostAsleep).catch((error: Error) => {
      heard.silent.push({ node: address.name, reason: error.message })
      return { total: 0, latest: [] }
    })
    const asleep = latest.filter(({ name }) => !awake.has(name))
    const counted = Math.max(0, total - (latest.length - asleep.length))
    return sandboxesIn(heard, { total: counted, latest: asleep.slice(0, mostAsleep) })
  }
  const metrics = async (): Promise<Metric[]> => {
    const heard = await everybody.ask('metrics')
    const known = await used.latest(1).catch(() => undefined)
    const all = 'Sandboxes in the engine, asleep or not.'
    return metricsIn(heard, known ? [gauge('kcm_engine_sandboxes', all, known.total)] : [])
  }
  const drop = (which: 'all' | 'others') =>
    beginEra(
      { engine, lease: replicas.lease, used },
      which,
      async () => (await everybody.ask('renew')).silent.length === 0
    )
  return {
    edge: replicas.edge,
    around: {
      owners: {
        node,
        isHere: (name) => replicas.isHere(name),
        place: (name, isForwarded, mayMake) => replicas.place(name, isForwarded, mayMake),
        use: (name) => replicas.use(name),
        beginAnew: (name) => replicas.beginAnew(name),
        asked: (request) => everybody.answer(request),
        received: (request) => signed.read(request),
        forward(request, place, name, entry) {
          counts.forwarded += 1
          return forwarder.forward(request, place, name, entry)
        },
        carried
      },
      metrics: () => measured(replicas),
      tells(own) {
        told = own
      },
      nextReset,
      rateStore: {
        prefix: engine.key('rate'),
        client: {
          eval: (script, { keys, arguments: given }) => engine.evaluate(script, keys, given)
        }
      },
      owns: (name) => replicas.owns(name),
      onRead(readied) {
        replicas.readied = readied
      },
      cluster: { hold: (name, from, at) => replicas.hold(name, from, at), about, sandboxes, metrics, drop }
    },
    realTime: () => replicas.lease.realTime,
    problem: () => replicas.lease.problem,
    async begin(url) {
      own = options.peer ?? url
      await replicas.begin(own)
    },
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

/** A secret that all processes with the same options share. Undefined: the options have none. */
function givenSecret({ peerSecret, controlToken }: ClusterOptions, prefix: string): string | undefined {
  if (peerSecret !== undefined || controlToken === undefined) return peerSecret
  return createHmac('sha256', controlToken).update(`peers of ${prefix}`).digest('base64url')
}

/** A secret in the engine. A reader of the engine knows everything anyway. `own`: what this process has used so far. */
async function sharedSecret(engine: Engine, own?: string): Promise<string> {
  const key = engine.key('secret')
  await engine.ask('SET', key, own ?? randomBytes(32).toString('base64url'), 'NX')
  return (await engine.ask('GET', key)) as string
}

/** Throws an Error that names an option that several processes need, or cannot have. */
function checkOptions({
  host,
  peer,
  controlToken,
  cookieSecret,
  control,
  watch,
  upstream,
  ...options
}: ClusterOptions): void {
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
function startOf(options: ClusterOptions, { contract }: StateOptions): AgreedStart {
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

/** The metrics of one process among others. */
export function measured({ counts, owned }: Replicas): Metric[] {
  const counter = (name: string, help: string, value: number): Metric => ({
    name,
    type: 'counter',
    help,
    samples: [{ value }]
  })
  return [
    gauge('kcm_sandboxes_owned', 'Sandboxes that this process owns.', owned.size),
    counter('kcm_forwarded_total', 'Requests that were passed on to another process.', counts.forwarded),
    counter('kcm_claims_total', 'Sandboxes that this process has claimed.', counts.claims),
    counter('kcm_fenced_total', 'Changes that were refused because the sandbox had moved.', counts.fenced),
    counter('kcm_unknown_total', 'Changes of which it is not known whether they were kept.', counts.unknown),
    counter('kcm_too_few_copies_total', 'Changes that too few replicas of the engine had.', counts.tooFew),
    counter('kcm_engine_lost_entries', 'Entries that were kept and that the engine has lost.', counts.lost),
    {
      name: 'kcm_append_seconds',
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
