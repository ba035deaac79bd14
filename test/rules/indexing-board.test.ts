import fc from 'fast-check'
import { getIndexingStatus } from '../../src/apis/knowledge-chat/rules/indexing/indexing.js'
import type { Context } from '../../src/apis/knowledge-chat/rules/rule.js'
import type { Operations, Rows } from '../../src/apis/knowledge-chat/types.gen.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { isSample } from '../extent.js'
import { startTestMock } from '../mock.js'
import { seed } from '../property/steps.js'
import { forkStore } from '../stores.js'
import { at, clear, putAttempt, putConnector, putCredential, putIndexed, putPair } from './associations.js'

type Body = Operations['getIndexingStatus']['input']['body']

const mock = await startTestMock({ fixtures: 'empty' })
const { rows } = mock.sandbox
const defaults = defaultChoices(readLedger())
const known = new Set(['web', 'slack'])
const readers: Rows['users'][] = [
  rows.users.first('byKey', 'admin') as Rows['users'],
  rows.users.first('byKey', 'curator') as Rows['users'],
  // More than the number of cached boards.
  ...Array.from({ length: 9 }, (_, i) => ({
    id: `00000000-0000-4000-8000-00000000000${i}`,
    key: `reader-${i}`,
    email: `reader-${i}@example.com`,
    role: 'global_curator' as const,
    is_active: true
  }))
]

const id = fc.integer({ min: 1, max: 8 })
const seconds = fc.integer({ min: -20, max: 20 })
const moment = fc.option(seconds.map(at))
const source = fc.constantFrom('web' as const, 'slack' as const, 'zulip' as const)

const write = fc.oneof(
  fc
    .record({ id, source, refresh_freq: fc.option(fc.integer({ min: 1, max: 8 })) })
    .map((own) => () => void putConnector(mock, own.id, own)),
  fc.record({ id, user_id: fc.constantFrom(null, ...readers.slice(0, 4).map((user) => user.id)) }).map(
    ({ id, user_id }) =>
      () =>
        void putCredential(mock, id, null, { user_id })
  ),
  fc
    .record({
      id,
      connector_id: id,
      credential_id: id,
      name: fc.constantFrom('Wiki', 'a wiki', null, 'DefaultCCPair'),
      access_type: fc.constantFrom('public' as const, 'private' as const, 'sync' as const),
      status: fc.constantFrom('SCHEDULED' as const, 'ACTIVE' as const, 'PAUSED' as const),
      docs_indexed: fc.integer({ min: 0, max: 3 }),
      last_success: moment
    })
    .map((own) => () => putPair(mock, own.id, own)),
  fc
    .record({
      id,
      pair: id,
      secondary_index: fc.boolean(),
      starts_at: moment,
      settles_at: moment,
      settles_as: fc.constantFrom('success' as const, 'failed' as const)
    })
    .map(
      ({ pair, ...own }) =>
        () =>
          putAttempt(mock, pair, own)
    ),
  fc
    .record({
      id,
      from: fc.constantFrom(rows.connectors, rows.credentials, rows.connectorCredentials, rows.indexAttempts)
    })
    .map(
      ({ id, from }) =>
        () =>
          void from.remove(id)
    )
)

interface Report {
  reader: Rows['users']
  after: number
  isMoving: boolean
  isRefreshing?: boolean
  isNarrow: boolean
  isWide?: boolean
  isEditor?: boolean
  body: Body
}
type Asked = Omit<Report, 'body'>

const report: fc.Arbitrary<Report> = fc.record({
  reader: fc.constantFrom(...readers),
  after: seconds,
  isMoving: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
  isRefreshing: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
  isNarrow: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  isWide: fc.boolean(),
  isEditor: fc.boolean(),
  body: fc.record<Body>(
    {
      secondary_index: fc.boolean(),
      access_type_filters: fc.subarray(['public', 'private', 'sync']),
      last_status_filters: fc.subarray(['not_started', 'in_progress', 'success', 'failed']),
      docs_count_operator: fc.constantFrom('>', '<', '='),
      docs_count_value: fc.integer({ min: 0, max: 8 }),
      name_filter: fc.constantFrom('wiki', 'a', ''),
      source_to_page: fc.constantFrom<Record<string, number>[]>({}, { web: 2 }, { web: 0 }),
      get_all_connectors: fc.boolean()
    },
    { requiredKeys: [] }
  )
})

function contextOf({ reader, after, isMoving, isRefreshing = true, isNarrow, isWide, isEditor }: Asked): Context {
  const choices: Record<string, string> = {
    ...defaults,
    'auth.editing': isEditor ? 'curators-too' : 'own',
    'indexing.lifecycle': isMoving ? 'clock' : 'manual',
    'indexing.refresh': isRefreshing ? 'by-refresh-freq' : 'never',
    'indexing.visibility': isWide ? 'all' : 'not-private'
  }
  return {
    user: reader,
    rows,
    now: at(after),
    seed: 1,
    valuesOf: () => (isNarrow ? known : null),
    assume: (assumption) => choices[assumption] as never
  } as Partial<Context> as Context
}

describe('the board of the report (E16)', () => {
  beforeEach(() => clear(mock))

  test('equals a look at every association after any writes, at any time and for any user', () => {
    const steps = fc.array(fc.oneof({ weight: 2, arbitrary: write }, { weight: 1, arbitrary: report }), {
      minLength: 20,
      maxLength: 60
    })
    let reports = 0
    const isSame = fc.property(steps, (all) => {
      clear(mock)
      for (let id = 1; id <= 8; id++) putIndexed(mock, id)
      for (const step of all) {
        if (typeof step === 'function') {
          step()
          continue
        }
        const { body, ...of } = step
        const context = contextOf(of)
        const kept = getIndexingStatus({ body }, context)
        // A fork has no cache, so it reads every association.
        const fresh = getIndexingStatus({ body }, { ...context, rows: forkStore(rows) })
        expect(kept).toEqual(fresh)
        if (fresh.length > 0) reports++
      }
    })
    const runs = isSample ? 200 : 1000
    fc.assert(isSame, { seed, numRuns: runs })
    expect(reports).toBeGreaterThan(runs * 1.5)
  })

  test('counts documents exactly, however many an association had in between', () => {
    const context = contextOf({ reader: readers[0] as Rows['users'], after: 0, isMoving: true, isNarrow: false })
    const total = () => getIndexingStatus({ body: {} }, context)[0]?.summary.total_docs_indexed
    for (const id of [1, 2]) putIndexed(mock, id, { docs_indexed: 3 })
    expect(total()).toBe(6)
    for (const id of [1, 2]) putIndexed(mock, id, { docs_indexed: Number.MAX_VALUE })
    expect(total()).toBe(Number.MAX_VALUE)
    for (const id of [1, 2]) putIndexed(mock, id, { docs_indexed: 3 })
    expect(total()).toBe(6)
  })

  test('is made again after very many missed writes', () => {
    const context = contextOf({ reader: readers[0] as Rows['users'], after: 0, isMoving: true, isNarrow: false })
    const total = () => getIndexingStatus({ body: {} }, context)[0]?.summary.total_connectors
    putConnector(mock, 1)
    putPair(mock, 1)
    expect(total()).toBe(1)
    for (let id = 2; id <= 12_000; id++) putPair(mock, id, { connector_id: 1 })
    expect(total()).toBe(12_000)
    rows.connectorCredentials.remove(7)
    expect(total()).toBe(11_999)
  })
})
