import { isDeepStrictEqual } from 'node:util'
import { type Contract, createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'
import type { Operation } from '../../src/engine/contract/model.js'
import { rowsOf, type Sandbox } from '../../src/engine/sandbox/sandbox.js'
import { collectionOf } from '../../src/engine/store/rows.js'
import { type Client, headersOf, type Received, type Sent } from '../client.js'
import { addressOf } from '../contract/examples.js'
import { compose } from './compose.js'
import { type Call, Model } from './model/model.js'
import { predict } from './model/predict.js'
import { Random } from './random.js'

/** One step of a sequence: a call of an operation, generated from a number, or a move of the clock. */
export type Step = { operation: string; seed: number } | { wait: number }

const contract: Contract = createContract(readDocuments(), defaultChoices(readLedger()))

/** A sandbox, its expected state, and the transcript. */
export class Play {
  readonly model: Model
  readonly transcript: string[] = []
  private calls = 0
  private state: unknown[]

  constructor(
    private readonly client: Client,
    private readonly sandbox: Sandbox
  ) {
    this.model = new Model({ collections: rowsOf(sandbox.rows), now: sandbox.clock.now })
    this.state = stateOf(sandbox)
  }

  /** Takes the steps one after the other. Throws the first difference, with the transcript. */
  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if ('wait' in step) this.wait(step.wait)
      else await this.call(compose(step.operation, new Random(step.seed), this.model))
    }
  }

  wait(milliseconds: number): void {
    this.model.now += milliseconds
    this.sandbox.clock.set({ now: this.model.now })
    this.state = stateOf(this.sandbox)
    this.transcript.push(`wait ${milliseconds} ms`)
  }

  async call(call: Call): Promise<void> {
    const operation = contract.operations.get(call.operation) as Operation
    const expected = predict(call, this.model)
    const reply = await this.client.send(requestOf(operation, call, this.sandbox.name))
    this.transcript.push(`${line(operation, call)} -> ${reply.status} ${undated(reply)} ${reply.bytes}`)
    this.calls += 1

    const headers = headersOf(reply)
    this.same(reply.status, expected.status, 'status')
    this.same(headers['x-mock-request-id'], `r${this.calls}`, 'number of the request')
    this.same(headers['x-mock-violations'], undefined, 'violations')
    this.same(headers['content-type'], 'application/json', 'media type')
    this.same(headers['content-length'], String(reply.bytes.length), 'length')
    this.same(isDeclared(operation, reply.status), true, 'declared')
    const body = bodyOf(reply)
    if (typeof expected.body === 'function') this.agrees(expected.body(body))
    else if (expected.body !== undefined) this.same(body, plain(expected.body), 'body')
    if (expected.status !== 200) this.same(isRefusal(body), true, 'form of a refusal')

    const before = this.state
    this.state = stateOf(this.sandbox)
    if (expected.status !== 200 || operation.method === 'GET')
      this.same(hasChanged(before, this.state), false, 'changed')
    if (expected.status === 200) expected.then?.(body)
  }

  /** Compares lists and searches with the model. */
  async audit(): Promise<void> {
    for (const as of ['admin', 'curator', 'basic']) {
      const read = (operation: string, own: Partial<Call> = {}) =>
        this.call({ operation, as, path: {}, query: {}, ...own })
      await read('listChatSessions')
      for (let page = 1; page <= 3; page++) await read('searchChats', { query: { page: String(page), page_size: '4' } })
      await read('listProjects')
      const user = this.model.all('users', ({ key }) => key === as)[0]
      for (const { id } of this.model.all('projects', ({ user_id }) => user_id === user?.id)) {
        await read('getProjectDetails', { path: { project_id: id } })
      }
      for (const { id } of this.model.all('userFiles', (it) => it.user_id === user?.id && it.status === 'DELETING')) {
        await read('getFile', { path: { file_id: id } })
      }
      await read('listCredentials')
      await read('getIndexingStatus', { body: { get_all_connectors: true } })
    }
    const read = (operation: string, path: Call['path']) => this.call({ operation, as: 'admin', path, query: {} })
    for (const { id } of this.model.all('connectors')) await read('getConnector', { connector_id: id })
    for (const { id } of this.model.all('personas')) await read('getPersona', { persona_id: id })
    this.same(danglingIn(this.sandbox), [], 'names of rows that are not there')
  }

  private agrees(verdict: unknown): void {
    if (Array.isArray(verdict)) this.same(plain(verdict[0]), plain(verdict[1]), 'body')
    else this.same(verdict, true, 'body')
  }

  private same(found: unknown, expected: unknown, what: string): void {
    if (isDeepStrictEqual(found, expected)) return
    const calls = this.transcript.join('\n')
    const [is, should] = [found, expected].map((it) => JSON.stringify(it))
    throw new Error(`${what} of ${this.sandbox.name}\nis     ${is}\nnot    ${should}\nafter\n${calls}`)
  }
}

/** All rows of a sandbox: rows are never changed, only replaced, so their identity is their value. */
function stateOf(sandbox: Sandbox): unknown[] {
  const collections = rowsOf(sandbox.rows)
  const { now } = sandbox.clock
  const ids = sandbox.ids.toJSON() as Record<string, number>
  return [now, JSON.stringify(ids), ...Object.values(collections).flat()]
}

function hasChanged(before: unknown[], after: unknown[]): boolean {
  return before.length !== after.length || before.some((it, at) => it !== after[at])
}

const boundary = 'sequence'

function requestOf(operation: Operation, call: Call, sandbox: string): Sent {
  const headers: Record<string, string> = call.as === null ? {} : { Authorization: `Bearer ${call.as}~${sandbox}` }
  if (call.as === null) headers['X-Mock-Sandbox'] = sandbox
  const sent = { method: operation.method, path: addressOf(operation, call.path, call.query), headers }
  if (call.form) {
    headers['Content-Type'] = `multipart/form-data; boundary=${boundary}`
    return { ...sent, body: `${call.form.map(part).join('')}--${boundary}--\r\n` }
  }
  if (call.body === undefined) return sent
  headers['Content-Type'] = 'application/json'
  return { ...sent, body: call.malformed ?? JSON.stringify(call.body) }
}

function part([name, value]: NonNullable<Call['form']>[number]): string {
  const isFile = typeof value !== 'string'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`
  return `${head}${isFile ? `; filename="${value.name}"` : ''}\r\n\r\n${isFile ? value.text : value}\r\n`
}

function line({ method, path }: Operation, call: Call): string {
  return `${call.as} ${method} ${path} ${JSON.stringify({ ...call.path, ...call.query, body: call.body ?? call.form })}`
}

/** Date has the time of the machine. */
function undated({ headers }: Received): string {
  const date = headers.indexOf('Date')
  return headers.filter((_, at) => at !== date && at !== date + 1).join(' ')
}

function bodyOf({ bytes }: Received): unknown {
  return JSON.parse(bytes.toString('utf8'))
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function isDeclared({ responses, refusals }: Operation, status: number): boolean {
  const statuses = [...Object.values(refusals), ...Object.values(contract.refusals)].map((row) => row.status)
  return status !== 500 && (status === 422 || status in responses || statuses.includes(status))
}

/** An error in one sentence, or items with a place and a message (2.16). */
function isRefusal(body: unknown): boolean {
  const { detail } = body as { detail: unknown }
  if (!Array.isArray(detail)) return typeof detail === 'string' && detail !== '' && !detail.includes('{')
  return detail.length > 0 && detail.every(({ loc, msg, type }) => Array.isArray(loc) && msg && type)
}

/** The references of rows to missing rows. */
function danglingIn({ rows }: Sandbox): string[] {
  const found: string[] = []
  for (const { name, references } of contract.collections.values()) {
    for (const row of collectionOf(rows, name).all()) {
      for (const [field, target] of Object.entries(references)) {
        for (const id of [row[field]].flat()) {
          if (id !== null && !collectionOf(rows, target).get(id as number))
            found.push(`${name} ${row.id} ${field} ${id}`)
        }
      }
    }
  }
  return found
}
