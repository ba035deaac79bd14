import { createHash } from 'node:crypto'
import { createMock } from '../../../src/doors/program/mock.js'
import { type RandomCall, randomCalls } from '../../bench/sandboxes/calls.mjs'
import { token } from '../engine.js'
import { isRefused, isUnknown, json, requestOf, type Sent, send } from './sending.js'

/** The calls of one mirror. */
const most = 40

const testNow = '2026-03-02T10:00:00.000Z'

/** A mock in memory, without faults. */
export class Reference {
  private readonly mock = createMock({ fixtures: 'empty', controlToken: token, maxSandboxes: 1_000_000, now: testNow })
  private document: object | undefined
  private collections: object = {}
  private count = 0

  async start(): Promise<void> {
    this.document = JSON.parse((await this.answer('model', json('GET', '/openapi.json'))).text)
    for (const it of beginning) await this.answer('model', it)
    this.collections = JSON.parse(await this.state('model')).collections
  }

  next(seed: number): Mirror {
    this.count += 1
    const name = `mirror-${this.count}`
    return new Mirror(name, this, randomCalls(this.document as object, this.collections, seed + this.count, name))
  }

  async answer(sandbox: string, sent: Sent): Promise<{ status: number; text: string }> {
    const response = await this.mock.fetch(new Request(`http://localhost${sent.path}`, requestOf(sandbox, sent)))
    return { status: response.status, text: await response.text() }
  }

  async state(sandbox: string): Promise<string> {
    return (await this.answer(sandbox, json('GET', '/__mock/state'))).text
  }
}

/** What every mirror does first: it has some rows of each kind, and a stopped clock. */
const beginning = [
  json('POST', '/__mock/reset', { fixtures: 'demo', now: testNow }),
  json('PUT', '/__mock/clock', { speed: 0 })
]

/**
 * A sandbox with one client, which makes calls of every operation one after the other. Each that is answered is done in memory too,
 * and must have the same answer there. At the end both have the same state.
 */
export class Mirror {
  readonly faults: string[] = []
  private done = 0
  private readonly first: Sent[] = [...beginning]
  /** Digests of the states that it may have, once the outcome of a call is not known. */
  private may: string[] | undefined

  constructor(
    readonly sandbox: string,
    private readonly reference: Reference,
    private readonly next: () => RandomCall
  ) {}

  get isOver(): boolean {
    return this.may !== undefined || this.done >= most
  }

  /** Makes one call. Returns whether it was answered, refused, or neither. */
  async call(url: string): Promise<'done' | 'refused' | 'unknown'> {
    const sent: Sent = this.first[0] ?? this.next()
    const answer = await send(url, this.sandbox, sent)
    if (isRefused(answer)) return 'refused'
    const before = isUnknown(answer) ? await this.digest() : ''
    const expected = await this.reference.answer(this.sandbox, sent)
    if (answer === undefined || isUnknown(answer)) {
      this.may = [before, await this.digest()]
      return 'unknown'
    }
    this.first.shift()
    this.done += 1
    if (answer.status !== expected.status || answer.text !== expected.text) {
      const [is, should] = [answer, expected].map(({ status, text }) => `${status} ${text}`)
      this.fault(`${sent.method} ${sent.path} is answered with ${differing(is as string, should as string)}`)
    }
    return 'done'
  }

  /** Compares the state. False: there was no answer. */
  async compare(url: string): Promise<boolean> {
    const answer = await send(url, this.sandbox, json('GET', '/__mock/state'))
    if (answer?.status !== 200) return false
    const may = this.may ?? [await this.digest()]
    // A new sandbox has the time of the machine.
    if (this.first.length > 0) return true
    if (!may.includes(digestOf(answer.text))) {
      const expected = await this.reference.state(this.sandbox)
      this.fault(`its state is not that of its calls: ${differing(answer.text, expected)}`)
    }
    return true
  }

  private async digest(): Promise<string> {
    return digestOf(await this.reference.state(this.sandbox))
  }

  private fault(text: string): void {
    this.faults.push(`${this.sandbox}: ${text}`)
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

/** Where two texts begin to differ. */
function differing(is: string, should: string): string {
  let at = 0
  while (at < is.length && is[at] === should[at]) at++
  const part = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 60), at + 240))
  return `${part(is)}, and in memory with ${part(should)}`
}
