import type { Rows } from '../../src/apis/knowledge-chat/types.gen.js'
import type { OpenMock } from '../../src/doors/program/open-mock.js'
import { createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'
import type { Operation } from '../../src/engine/contract/model.js'
import { rowsOf } from '../../src/engine/sandbox/sandbox.js'
import { addressOf } from '../contract/examples.js'
import { compose, operations } from '../property/compose.js'
import { type Call, Model } from '../property/model/model.js'
import type { Random } from '../property/random.js'

const ledger = readLedger()
const contract = createContract(readDocuments(), defaultChoices(ledger))
const collections = [...contract.collections.keys()] as (keyof Rows)[]

/** Calls of a sandbox, generated one after the other: of all operations and of the control API. */
export class Doer {
  private model: Model
  private age = 0
  /** How many calls were answered, by status. */
  readonly statuses: Record<number, number> = {}

  constructor(
    private readonly mock: OpenMock,
    readonly name: string,
    private readonly random: Random
  ) {
    this.model = this.modelOf()
  }

  /** Makes the given number of calls. The last one is of an operation, so that a capsule always has one. */
  async do(count: number): Promise<void> {
    for (let at = 1; at < count; at++) await this.doOne()
    await this.call(compose(this.random.pick(operations), this.random, this.model))
  }

  private async doOne(): Promise<void> {
    const { random } = this
    // The model's older rows are good enough for ids.
    if (++this.age % 10 === 0) this.model = this.modelOf()
    if (random.chance(0.3)) await this.control(...this.pickControl())
    else await this.call(compose(random.pick(operations), random, this.model))
  }

  private async call({ operation: id, as, path, query, body, form, malformed }: Call): Promise<void> {
    const operation = contract.operations.get(id) as Operation
    const headers: Record<string, string> = as === null ? {} : { Authorization: `Bearer ${as}` }
    if (this.random.chance(0.05)) headers.Prefer = this.random.pick(['code=422', 'fault=EMPTY_RESPONSE', 'code=404'])
    const sent = new FormData()
    for (const [name, value] of form ?? []) {
      sent.append(name, typeof value === 'string' ? value : new File([value.text], value.name))
    }
    if (body !== undefined) headers['Content-Type'] = 'application/json'
    await this.send(operation.method, addressOf(operation, path, query), {
      headers,
      body: form ? sent : body === undefined ? null : (malformed ?? JSON.stringify(body))
    })
  }

  private async control(method: string, path: string, body?: unknown): Promise<void> {
    const headers = { 'Content-Type': 'application/json' }
    await this.send(method, `/__mock/${path}`, { headers, body: body === undefined ? null : JSON.stringify(body) })
  }

  private async send(method: string, path: string, init: RequestInit): Promise<void> {
    const headers = { ...(init.headers as object), 'X-Mock-Sandbox': this.name }
    const response = await this.mock
      .fetch(`http://mock.invalid${path}`, { ...init, method, headers })
      .catch(() => undefined)
    await response?.arrayBuffer()
    const { status = 0 } = response ?? {}
    this.statuses[status] = (this.statuses[status] ?? 0) + 1
    // The platform answers some refusals with 500.
    const request = response?.headers.get('X-Mock-Request-Id') ?? ''
    const refusal = this.mock.sandboxes.use(this.name).journal.find(request)?.entry.refusal
    if (status >= 500 && status !== 503 && !refusal) throw new Error(`${method} ${path} of ${this.name}: ${status}`)
  }

  private pickControl(): [method: string, path: string, body?: unknown] {
    const { random } = this
    const collection = random.pick(collections)
    const ids = [...this.model.tables[collection].keys()]
    const id = encodeURIComponent(ids.length > 0 ? random.pick(ids) : 1)
    const { traits = {} } = contract.collections.get(collection) ?? {}
    const override = `overrides/o${random.int(1, 8)}`
    const name = random.pick(['one', 'two'])
    const entry = random.pick(ledger.filter(({ place }) => place !== undefined))
    const usual: [string, string, unknown?][] = [
      ['POST', `state/${collection}`, {}],
      ['POST', `state/${collection}?count=${random.int(2, 60)}`, {}],
      ['POST', `state/${collection}?trait=${random.pick([...Object.keys(traits), 'none'])}`, {}],
      ['PATCH', `state/${collection}/${id}`, { name: `Renamed ${random.int(1, 99)}` }],
      ['DELETE', `state/${collection}/${id}`],
      ['POST', `lifecycles/${collection}/${id}`, { to: random.pick(['FAILED', 'COMPLETED', 'success', 'PAUSED']) }],
      ['PUT', 'clock', { advance: random.pick([1, 1500, '10s', '1d']) }],
      ['PUT', 'clock', { speed: random.pick([0, 1, 60]) }],
      ['PUT', 'clock', { now: random.pick(['2026-04-01T00:00:00Z', 'now']) }],
      ['PATCH', 'assumptions', { [entry.id]: random.pick(Object.keys(entry.choices)) }],
      ['POST', 'overrides', { operation: random.pick(operations), status: 503, rate: 0.5 }],
      ['POST', 'overrides', { operation: random.pick(operations), sequence: [{ status: 404 }, {}], times: 3 }],
      ['PATCH', override, { off: random.chance(0.5) }],
      ['DELETE', override],
      ['PUT', 'weather', { profile: random.pick(['flaky', 'rate-limited', 'fair', 'fair']) }],
      ['POST', `snapshots/${name}`],
      ['DELETE', `snapshots/${name}`],
      ['DELETE', 'requests']
    ]
    const rare: [string, string, unknown?][] = [
      ['POST', `snapshots/${name}/restore`],
      ['PUT', 'state', this.mock.sandbox(this.name).state],
      ['PUT', 'overrides', []],
      ['POST', 'reset', { fixtures: 'demo', seed: random.int(1, 9) }]
    ]
    return random.chance(0.03) ? random.pick(rare) : random.pick(usual)
  }

  private modelOf(): Model {
    const { rows, clock } = this.mock.sandboxes.use(this.name)
    return new Model({ collections: rowsOf(rows), now: clock.now })
  }
}
