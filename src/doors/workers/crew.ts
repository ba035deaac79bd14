import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout } from 'node:timers'
import { partOf } from '../../mock/persistence/parts.js'
import type { OwnerAddress } from '../../mock/replicas/directory.js'
import type { Connection } from './hall.js'
import { type BeginMessage, type PrimaryQuestion, type ToPrimary, type ToWorker, workerVariable } from './messages.js'

interface Worker {
  readonly index: number
  child: ChildProcess
  /** Undefined: it is not ready yet. */
  place: OwnerAddress | undefined
  /** Why it could not start. */
  failure: string | undefined
  isFinished: boolean
  /** The connections that it may not have got yet. */
  onTheWay: Map<number, Connection>
  /** How many it has. */
  connections: number
  /** How many sandboxes it has, and may be about to make. */
  sandboxes: { owned: number; coming: number }
}

export interface CrewParts {
  count: number
  beginning: (index: number) => BeginMessage
  /** What becomes of the state of a worker that ends, as the end of a sentence. */
  fate: string
  say: (text: string) => void
  /** So many connections are closed. */
  closed: (count: number) => void
  /** A worker has ended before it got a connection. */
  lost: (connection: Connection) => void
  /** Counts a request. Resolves to the milliseconds until there may be another, if there were too many. */
  rate: (who: 'visitor' | 'address', key: string) => Promise<number | undefined>
  /** A worker can take connections. */
  ready: () => void
}

/** Milliseconds before a worker that could not start is started again. */
const pause = 1000

/** The workers. One that ends is started again. */
export class Crew {
  private readonly workers: Worker[] = []
  private isStarted = false
  private isStopping = false
  private given = 0
  private changed = () => {}

  constructor(private readonly of: CrewParts) {}

  /** Resolves when all workers are ready. Rejects with an Error if one cannot start. */
  async start(): Promise<void> {
    for (let index = 0; index < this.of.count; index++) this.workers[index] = this.begin(index)
    await this.until(() => {
      const failed = this.workers.find(({ failure }) => failure !== undefined)
      if (failed) throw new Error(failed.failure)
      return this.workers.every(({ place }) => place)
    })
    this.isStarted = true
  }

  /** Gives a connection to the worker of a sandbox, or if that is not ready, to another one. Returns false if none is. */
  give(sandbox: string | undefined, connection: Connection): boolean {
    this.given += 1
    const { workers, given } = this
    const wanted = workers[sandbox === undefined ? given % workers.length : partOf(sandbox, workers.length)]
    const worker = wanted?.place ? wanted : workers.find(({ place }) => place)
    if (!worker) return false
    const { socket, first, isFull } = connection
    worker.onTheWay.set(given, connection)
    const message: ToWorker = { op: 'connection', id: given, first, isFull }
    // It stays open here until its worker has it. Node would forget it with a worker that ends.
    worker.child.send(message, socket, { keepOpen: true }, () => {})
    return true
  }

  /** Tells the workers that a stop has begun. */
  leave(): void {
    this.tell({ op: 'leave' })
  }

  /** Resolves when all workers have finished their requests, kept their state, and ended. */
  async stop(): Promise<void> {
    this.isStopping = true
    this.tell({ op: 'finish' })
    await this.until(() => this.workers.every((it) => it.isFinished || hasEnded(it)))
    this.tell({ op: 'end' })
    await this.until(() => this.workers.every(hasEnded))
  }

  /** Ends them at once. */
  kill(): void {
    this.isStopping = true
    for (const { child } of this.workers) child.kill('SIGKILL')
  }

  private begin(index: number): Worker {
    const { say } = this.of
    const child = fork(process.argv[1] as string, process.argv.slice(2), {
      env: { ...process.env, [workerVariable]: String(index) },
      serialization: 'advanced',
      // Standard output is the primary's: it says where the mock is.
      stdio: ['ignore', 2, 2, 'ipc']
    })
    const worker: Worker = {
      index,
      child,
      place: undefined,
      failure: undefined,
      isFinished: false,
      onTheWay: new Map(),
      connections: 0,
      sandboxes: { owned: 0, coming: 0 }
    }
    child.on('message', (message) => this.hear(worker, message as ToPrimary))
    // Its end is told by `exit`.
    child.on('error', ({ message }) => say(`worker ${index + 1}: ${message}`))
    child.once('exit', (code, signal) => {
      const end = () => this.ended(worker, signal ?? `exit code ${code}`)
      // Before that, some of what it has said may not be read.
      if (child.connected) child.once('disconnect', end)
      else end()
    })
    return worker
  }

  private hear(worker: Worker, message: ToPrimary): void {
    switch (message.op) {
      case 'hello':
        send(worker, this.of.beginning(worker.index))
        break
      case 'ready':
        worker.place = message.place
        this.tellPlaces()
        this.of.ready()
        break
      case 'failed':
        worker.failure = message.message
        break
      case 'alive':
        this.tellPlaces()
        break
      case 'missed': {
        const missed = this.workers[message.index]
        if (missed) send(missed, { op: 'look' })
        break
      }
      case 'ask':
        void this.answer(worker, message.question).then((value) => {
          send(worker, { op: 'answer', id: message.id, value })
        })
        break
      case 'owns':
        worker.sandboxes.owned = message.count
        worker.sandboxes.coming -= message.made
        break
      case 'taken':
        worker.connections += 1
        worker.onTheWay.get(message.id)?.socket.destroy()
        worker.onTheWay.delete(message.id)
        break
      case 'closed':
        worker.connections -= 1
        this.of.closed(1)
        break
      case 'finished':
        worker.isFinished = true
        break
    }
    this.changed()
  }

  private async answer(worker: Worker, question: PrimaryQuestion): Promise<unknown> {
    if (question.about === 'rate') return this.of.rate(question.who, question.key)
    worker.sandboxes.coming += 1
    const others = this.workers.filter((it) => it !== worker)
    return others.reduce((sum, { sandboxes: { owned, coming } }) => sum + owned + coming, 0)
  }

  private ended(worker: Worker, why: string): void {
    const { index, child, place } = worker
    const { say, fate, closed, lost } = this.of
    closed(worker.connections)
    const wasReady = place !== undefined
    worker.place = undefined
    if (!wasReady) worker.failure ??= `it ended by ${why}`
    this.changed()
    if (this.isStopping || !this.isStarted) return
    this.tellPlaces()
    for (const connection of worker.onTheWay.values()) lost(connection)
    const name = `worker ${index + 1}`
    if (wasReady) say(`${name} (process ${child.pid}) ended by ${why} and is started again: ${fate}`)
    else say(`${name} could not start, and is started again: ${worker.failure}`)
    const again = () => {
      if (!this.isStopping) this.workers[index] = this.begin(index)
    }
    if (wasReady) again()
    else setTimeout(again, pause)
  }

  private tell(message: ToWorker): void {
    for (const worker of this.workers) send(worker, message)
  }

  private tellPlaces(): void {
    this.tell({ op: 'there', workers: this.workers.map(({ place }) => place ?? null) })
  }

  /** Resolves when something holds. It is asked after each message and end of a worker. */
  private until(holds: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.changed = () => {
        try {
          if (holds()) resolve()
        } catch (error) {
          reject(error)
        }
      }
      this.changed()
    })
  }
}

function send({ child }: Worker, message: ToWorker): void {
  if (child.connected) child.send(message, () => {})
}

const hasEnded = ({ child }: Worker) => child.exitCode !== null || child.signalCode !== null
