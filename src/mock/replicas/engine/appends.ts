import { setImmediate } from 'node:timers'
import { refusalOf } from './errors.js'

/** An entry for a stream. */
export interface Append {
  key: string
  /** The id of the entry before it. */
  last: string
  id: string
  /** What is no `r` is small, and added even if the engine is full. */
  field: 'r' | 'must' | 'free'
  value: string
  /** Milliseconds that the stream lives on without use. 0: for ever. */
  ttl: number
}

interface QueuedAppend extends Append {
  added: () => void
  failed: (error: Error) => void
}

/** The size above which a command takes no more entries. */
const mostBytes = 1024 * 1024

/** Adds entries to streams. Those that come one after another go in one command: that costs less than the entries themselves. */
export class Appends {
  private waiting: QueuedAppend[] = []
  private turn: Promise<void> | undefined

  constructor(
    private readonly run: (keys: string[], given: (string | number)[]) => Promise<unknown>,
    /** How many go in one command. */
    private readonly most: () => number
  ) {}

  /** Resolves in the next turn of the event loop: what changes until then can go together. */
  nextTurn(): Promise<void> {
    this.turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.turn = undefined
        resolve()
      })
    })
    return this.turn
  }

  /** Rejects with NotDone, Fenced or Unknown. */
  add(entry: Append): Promise<void> {
    return new Promise((added, failed) => {
      this.waiting.push({ ...entry, added, failed })
      // After all that this turn has woken.
      if (this.waiting.length === 1) process.nextTick(() => this.sendAll())
    })
  }

  private sendAll(): void {
    const all = this.waiting
    this.waiting = []
    const most = this.most()
    let some: QueuedAppend[] = []
    let bytes = 0
    for (const it of all) {
      const isFull = some.length === most || bytes > mostBytes || (some[0] && some[0].ttl !== it.ttl)
      if (isFull) {
        void this.send(some)
        some = []
        bytes = 0
      }
      some.push(it)
      bytes += it.value.length
    }
    void this.send(some)
  }

  private async send(some: QueuedAppend[]): Promise<void> {
    const given: (string | number)[] = [some[0]?.ttl ?? 0]
    for (const { last, id, field, value } of some) given.push(last, id, field, value)
    try {
      const told = (await this.run(
        some.map(({ key }) => key),
        given
      )) as string[]
      for (const [at, it] of some.entries()) {
        const why = told[at] as string
        if (why === '') it.added()
        else it.failed(refusalOf(why))
      }
    } catch (error) {
      for (const { failed } of some) failed(error as Error)
    }
  }
}
