import { createHash, randomBytes } from 'node:crypto'
import { lazily } from '../../contract/lazy.js'
import { packageVersion } from '../../contract/load.js'
import { Refusal } from '../../contract/refusal.js'
import { DataError } from '../../mock/persistence/edge.js'
import type { StateOptions } from '../../mock/persistence/state-log.js'
import { type Client, Engine } from '../../mock/replicas/engine.js'
import { measured } from '../../mock/replicas/measured.js'
import { Replicas } from '../../mock/replicas/replicas.js'
import { type AgreedStart, agreeOnStart, checkPersistence } from '../../mock/replicas/start.js'
import type { SettledServer } from '../options/table.js'
import type { Surroundings } from '../program/surroundings.js'
import { readEngine } from './address.js'
import { Forwarder } from './forward.js'
import { carried, Signed } from './signed.js'

const client = '@redis/client'

/** After this time without use, a sandbox leaves memory. A request wakes it in any process. */
const sleep = 60_000

/** This process among others that share an engine. */
export interface Joined {
  replicas: Replicas
  /** What the mock needs of it. */
  around: NonNullable<Surroundings['joined']>
  /** Where others reach this process, once it listens. */
  begin(url: string): Promise<void>
  close(): Promise<void>
}

/** Joins the processes that share an engine. Rejects with a DataError, or with an Error that names an option. */
export async function join(data: string, options: SettledServer, state: StateOptions): Promise<Joined> {
  checkOptions(options)
  const { lease, sync, sandboxIdle, onProblem: say = console.error } = options
  const address = readEngine(data)
  const engine = await dataError(Engine.connect(creator(), address, lease, say))
  const idle = sandboxIdle * 1000
  const sleepAfter = idle > 0 ? Math.min(sleep, idle / 10) : sleep
  const replicas = new Replicas(engine, { lease, idle, sleep: sleepAfter }, state)
  const { counts, lives } = replicas
  const { node } = replicas.lease
  const secret = await dataError(
    (async () => {
      await checkPersistence(engine, sync, say)
      await agreeOnStart(engine, lives, startOf(options, state))
      return options.peerSecret ?? (await sharedSecret(engine))
    })()
  ).catch((error) => {
    engine.close()
    throw error
  })
  const signed = new Signed(secret)
  const forwarder = new Forwarder({
    signed,
    lease,
    isThere: async (life) => (await lives.addressOf(life)) !== undefined,
    misled: (name, place) => replicas.misled(name, place)
  })
  let own = ''
  const about = async () => {
    const all = await lives.all().catch((error: Error) => {
      throw new Refusal('engine-away', { reason: error.message })
    })
    const nodes = all.map(({ life, address }) => ({ node: life.split('.')[0] as string, address }))
    return { node, address: own, engine: address.name, prefix: address.prefix, lease_ms: lease, nodes }
  }
  return {
    replicas,
    around: {
      places: {
        node,
        isHere: (name) => replicas.isHere(name),
        place: (name, isForwarded) => replicas.place(name, isForwarded),
        use: (name) => replicas.use(name),
        received: (request) => signed.read(request),
        forward(request, place, name, passage) {
          counts.forwarded += 1
          return forwarder.forward(request, place, name, passage)
        },
        carried
      },
      metrics: () => measured(replicas),
      owns: (name) => replicas.owns(name),
      onRead(readied) {
        replicas.readied = readied
      },
      cluster: { hold: (name, from) => replicas.hold(name, from), about }
    },
    async begin(url) {
      own = options.peer ?? url
      await replicas.begin(own)
    },
    async close() {
      await replicas.close()
      forwarder.close()
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

function creator(): (options: object) => Client {
  try {
    return (lazily(client) as { createClient: (options: object) => Client }).createClient
  } catch {
    throw new Error(
      `data (--data) is a Redis: that needs the package ${client} beside knowledge-chat-mock: npm install ${client}`
    )
  }
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
  if (options.resetEvery !== undefined)
    throw new Error(`${needs} resetEvery (--reset-every) would reset one of them alone.`)
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
    // A part of their digests: the engine should not have them.
    'control-token': digestOf(options.controlToken),
    'peer-secret': digestOf(options.peerSecret)
  }
}

function digestOf(secret: string | undefined): string | null {
  return secret === undefined ? null : createHash('sha256').update(secret).digest('hex').slice(0, 8)
}

/** Who can read the engine knows all there is: so that is where the processes find their secret. */
async function sharedSecret(engine: Engine): Promise<string> {
  const key = engine.key('secret')
  await engine.ask('SET', key, randomBytes(32).toString('base64url'), 'NX')
  return (await engine.ask('GET', key)) as string
}
