import type { Contract } from '../../engine/contract/contract.js'
import type { LedgerEntry } from '../../engine/contract/ledger.js'
import type { Choices, Json, JsonObject } from '../../engine/contract/load.js'
import type { Edition } from '../../engine/ledger/edition.js'
import { Clock } from '../../engine/sandbox/clock.js'
import { Ids } from '../../engine/sandbox/ids.js'
import type { Sandbox } from '../../engine/sandbox/sandbox.js'
import type { Sandboxes } from '../../engine/sandbox/sandboxes.js'
import type { AnyRow, Id } from '../../engine/store/collection.js'
import { createStore } from '../../engine/store/rows.js'
import { jsonOf } from '../encoded.js'
import { type Book, type Named, type Recording, signUpOf } from '../record/book.js'
import { completeRows, type Making, makingOf } from '../record/rows.js'
import type { Call, Traffic } from '../record/traffic.js'

/** The mock that makes the same calls as the service. */
export interface ShadowMock {
  fetch(input: string, init?: RequestInit): Promise<Response>
  readonly sandboxes: Sandboxes
  readonly edition: Edition
}

/** What the mock answers. */
export interface MockReply {
  status: number
  body: Json | undefined
  /** The assumptions that it depends on. */
  assumed: string[]
  /** Whether it left rows as they were that the service has removed. */
  isIdle: boolean
}

/** The sandbox's name, and that of its copies for other choices. */
const name = 'shadow'
const copyName = 'shadow-tries'

/** Nothing is replaced in rows that are not written anywhere. */
const asItIs = { row: (_: unknown, fields: JsonObject) => fields }

/** The sandbox `shadow`. It has the rows of a book, so it knows the service's own ids. */
export class ShadowSandbox {
  private readonly making: Making
  /** The keys of the users who called, by their tokens. */
  private keys = new Map<string, string>()
  private tries = 0

  constructor(
    private readonly mock: ShadowMock,
    readonly recording: Recording,
    seed: number
  ) {
    this.making = makingOf(mock.edition, seed)
  }

  get contract(): Contract {
    return this.making.contract
  }

  get ledger(): readonly LedgerEntry[] {
    return this.mock.edition.ledger
  }

  get choices(): Choices {
    return this.sandbox.choices
  }

  private get sandbox(): Sandbox {
    return this.mock.sandboxes.use(name)
  }

  assume(id: string, choice: string): void {
    this.sandbox.choices = { ...this.sandbox.choices, [id]: choice }
  }

  /** Whether a row's status changes with time: a service may be faster, or slower. */
  isMoving(collection: string, id: Json): boolean {
    const end = this.contract.api.lifecycles[collection]?.shifts?.end
    const row = this.sandbox.rows[collection]?.get(id as Id) as AnyRow | undefined
    return end !== undefined && (row?.[end] ?? null) !== null
  }

  /** Gives the sandbox the rows of a book. */
  become(book: Book): void {
    const { contract, seed } = this.making
    const result = completeRows(book, this.making, asItIs, this.recording)
    // Who has signed up has a password, which no reply shows.
    const { collection: users, email } = contract.api.users
    for (const it of result.rows[users] ?? [])
      if (book.hints.has(signUpOf(it[email] as Json))) Object.assign(it, { _password: 0 })
    const rows = createStore(contract.api.collections, result.rows)
    const { sandbox } = this
    const clock = new Clock({ now: book.now, speed: 0 })
    sandbox.become({ fixtures: sandbox.fixtures, base: undefined, rows, ids: Ids.after(seed, rows), clock })
    const { collection, token: field, common } = contract.api.users
    const keyOf = (id: string) => result.rows[collection]?.find((it) => it.id === id)?.[field] as string | undefined
    this.keys = new Map([...result.completed.callers].map(([token, { id }]) => [token, keyOf(id) ?? common[0] ?? '']))
  }

  /**
   * The mock's answer to a call at a moment, under other choices if there are some. Only then nothing changes. `removed`: what
   * the service has removed by the call.
   */
  async ask(
    call: Call,
    traffic: Traffic,
    now: number,
    { others, removed }: { others?: Choices | undefined; removed: readonly Named[] }
  ): Promise<MockReply> {
    const { sandboxes } = this.mock
    const before = removed.map(({ collection, id }) => this.sandbox.rows[collection]?.get(id))
    this.sandbox.clock = new Clock({ now, speed: 0 })
    // Each copy has a new name, in case the last one is still in use.
    const copy = others && sandboxes.make(`${copyName}-${++this.tries}`, this.sandbox)
    if (copy) copy.choices = { ...copy.choices, ...others }
    try {
      const response = await this.mock.fetch(`http://mock.invalid${traffic.target}`, {
        method: traffic.method,
        headers: this.headersOf(call, traffic, copy?.name ?? name),
        ...(traffic.body !== '' && !/^(GET|HEAD)$/.test(traffic.method) && { body: traffic.body }),
        redirect: 'manual'
      })
      const assumed = response.headers.get('x-mock-assumed')?.split(', ') ?? []
      const { rows } = copy ?? this.sandbox
      const after = removed.map(({ collection, id }) => rows[collection]?.get(id))
      const isIdle = removed.length > 0 && after.every((it, n) => it !== undefined && it === before[n])
      return { status: response.status, body: jsonOf(await response.text())?.value, assumed, isIdle }
    } finally {
      if (copy) sandboxes.drop(copy.name)
    }
  }

  /** The token is that of the user in the sandbox. A token that the service does not take is unknown to the mock, too. */
  private headersOf({ caller, status }: Call, { headers }: Traffic, sandbox: string): Record<string, string> {
    const { authorization, 'content-type': type } = headers
    const key = status === 401 ? undefined : this.keys.get(caller)
    const isUsual = authorization === undefined ? caller !== '' : /^(bearer|token)\s/i.test(authorization)
    const [scheme = 'Bearer'] = authorization?.split(/\s/) ?? []
    const sent = isUsual ? `${scheme} ${key ?? 'not-known'}` : authorization
    // An operation may ask for several keys.
    const keys = this.contract.api.document?.keys.headers.filter((it) => headers[it] !== undefined) ?? []
    return {
      ...Object.fromEntries(keys.map((it) => [it, 'sent'])),
      'X-Mock-Sandbox': sandbox,
      ...(type !== undefined && { 'Content-Type': type }),
      ...(sent !== undefined && { Authorization: sent })
    }
  }
}
