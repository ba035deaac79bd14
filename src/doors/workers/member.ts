import type { IncomingMessage } from 'node:http'
import { Refusal } from '../../contract/message/refusal.js'
import type { Metric } from '../../mock/metrics/exposition.js'
import type { StateOptions } from '../../mock/persistence/state-log.js'
import { Moved } from '../../mock/replicas/moved.js'
import { timestamp } from '../../mock/sandbox/clock.js'
import type { Sandbox } from '../../mock/sandbox/sandbox.js'
import { Schedule } from '../../mock/sandbox/schedule.js'
import type { ClusterParts } from '../../rules/control/rule.js'
import type { Places } from '../../serve/placed.js'
import { NodeRequest } from '../listener/node-request.js'
import type { SettledServer } from '../options/table.js'
import type { ProcessReports } from '../program/surroundings.js'
import { Everybody } from '../replicas/everybody.js'
import { Forwarder } from '../replicas/forward.js'
import { metricsIn, sandboxesIn } from '../replicas/one-answer.js'
import { askHeader, carried, passHeader, Signed } from '../replicas/signed.js'
import { copyPath, giveCopy, takeCopy } from './copies.js'
import type { Door } from './join.js'
import type { BeginMessage, PrimaryQuestion } from './messages.js'
import { Room } from './room.js'
import { Team } from './team.js'
import { type MessageHandlers, say } from './work.js'

export type MemberStart = Omit<BeginMessage, 'part' | 'cookieSecret'>

/** How often a request that was passed on looks whether its worker still lives, in milliseconds. */
const often = 1000

/** How long another worker may take to tell of itself, in milliseconds. */
const patience = 3000

/** One of the workers to which sandboxes belong by their names. */
export function joinTeam(
  { index, count, secret, instance, since }: MemberStart,
  { resetEvery }: SettledServer,
  state: () => StateOptions,
  hearing: MessageHandlers
): Door {
  const signed = new Signed(secret)
  const team = new Team(index, count, (index) => say({ op: 'missed', index }))
  hearing.there = ({ workers }) => team.note(workers)
  const forwarder = new Forwarder({
    signed,
    lease: often,
    isThere: async (life) => team.isThere(life),
    misled: (name, place) => team.misled(name, place)
  })
  const schedule = resetEvery === undefined ? undefined : new Schedule(resetEvery, Date.now, since)
  const node = nameOf(index)
  let own: ProcessReports
  let readied: (sandbox: Sandbox) => void = () => {}
  let forwarded = 0
  const ask = asking(hearing)
  const room = new Room({
    ask: async () => (await ask({ about: 'room' })) as number,
    count: () => own.count(),
    tell: (count, made) => say({ op: 'owns', count, made })
  })
  /** All workers reset at the same moments, each what it has. */
  const upToDate = () => {
    if (schedule?.isDue()) own.startAnew()
    room.leave()
    return own
  }
  const everybody = new Everybody({
    node,
    signed,
    patience,
    others: async () => (await team.others()).map(({ life, address }) => ({ node: nameIn(life), address })),
    answers: {
      sandboxes: () => ({ sandboxes: upToDate().sandboxes(), unmade: [] as string[] }),
      metrics: () => upToDate().metrics(),
      counts: () => ({ owned: upToDate().count() + Number(own.has('default')) }),
      async dropOthers() {
        const dropped = await upToDate().dropOthers()
        room.leave()
        return dropped
      }
    }
  })
  const fromPeers = new WeakSet<IncomingMessage>()
  const isFromPeer = (request: unknown): request is NodeRequest =>
    request instanceof NodeRequest && fromPeers.has(request.message)
  const places: Places = {
    node,
    isHere: (name) => team.isHere(name) && (name === 'default' || own.has(name)),
    async place(name) {
      if (team.isHere(name)) await room.enter(name)
      return team.place(name)
    },
    use(name) {
      upToDate()
      return () => {
        room.leave(name)
        return undefined
      }
    },
    asked: (request) => (isFromPeer(request) ? everybody.answer(request) : undefined),
    received: (request) => (isFromPeer(request) ? signed.read(request) : undefined),
    forward(request, place, name, passage) {
      forwarded += 1
      return forwarder.forward(request, place, name, passage)
    },
    carried
  }
  const cluster: ClusterParts = {
    async hold(name, from, at) {
      if (!team.isHere(name)) throw new Moved(from ?? name, name)
      const place = from === undefined ? 'here' : await team.place(from)
      if (from === undefined || typeof place === 'string') return undefined
      const copy = await takeCopy({ from, at }, place, signed, state())
      readied(copy)
      return copy
    },
    async about() {
      const heard = await everybody.ask('counts')
      const owned = new Map(heard.told.map(({ node, told }) => [node, told]))
      const nodes = team.all().map(({ life, address }) => {
        return { node: nameIn(life), address, pid: Number(life.split('.')[1]), ...owned.get(nameIn(life)) }
      })
      return {
        node,
        address: nodes.find((it) => it.node === node)?.address ?? null,
        engine: null,
        prefix: null,
        lease_ms: null,
        nodes,
        resets_at: schedule ? timestamp(schedule.next) : null,
        silent: heard.silent
      }
    },
    async sandboxes() {
      const heard = await everybody.ask('sandboxes')
      const { sandboxes } = sandboxesIn(heard, { total: 0, latest: [] })
      return { sandboxes, ...(heard.silent.length > 0 && { silent: heard.silent }) }
    },
    metrics: async () => metricsIn(await everybody.ask('metrics'), []),
    async drop() {
      const { told, silent } = await everybody.ask('dropOthers')
      const [missing] = silent
      if (missing) throw new Refusal('elsewhere', { name: `of ${missing.node}`, reason: missing.reason })
      return told.reduce((sum, { told }) => sum + told, 0)
    }
  }
  return {
    around: {
      places,
      cluster,
      instance,
      owns: (name) => team.isHere(name),
      onRead(given) {
        readied = given
      },
      tells(given) {
        own = given
      },
      elsewhere: () => room.elsewhere,
      async rateStore(who, key) {
        const msBeforeNext = await ask({ about: 'rate', who, key })
        if (msBeforeNext !== undefined) throw { msBeforeNext }
      },
      nextReset() {
        upToDate()
        return schedule?.next
      },
      metrics: () => [passedOn(forwarded)]
    },
    listener: (mock) => (message, response) => {
      const { headers, url = '' } = message
      if (headers[passHeader] === undefined && headers[askHeader] === undefined)
        return void response.writeHead(403).end()
      fromPeers.add(message)
      if (!url.startsWith(copyPath)) return mock.listener(message, response)
      try {
        signed.read(new NodeRequest(message, response))
      } catch {
        return void response.writeHead(403).end()
      }
      giveCopy(message, response, (name) => mock.sandboxes.find(name), state())
    },
    begin: async () => room.leave(),
    leave: async () => {},
    async close() {
      forwarder.close()
      everybody.close()
    }
  }
}

/** Asks the primary. */
function asking(hearing: MessageHandlers): (question: PrimaryQuestion) => Promise<unknown> {
  const waiting = new Map<number, (value: unknown) => void>()
  let id = 0
  hearing.answer = (message) => {
    waiting.get(message.id)?.(message.value)
    waiting.delete(message.id)
  }
  return (question) =>
    new Promise((resolve) => {
      id += 1
      waiting.set(id, resolve)
      say({ op: 'ask', id, question })
    })
}

function passedOn(value: number): Metric {
  const help = 'Requests that were passed on to another process.'
  return { name: 'kcm_forwarded_total', type: 'counter', help, samples: [{ value }] }
}

const nameOf = (index: number) => `worker-${index + 1}`

/** A life is the number of a worker and that of its process. */
const nameIn = (life: string) => nameOf(Number(life.split('.')[0]))
