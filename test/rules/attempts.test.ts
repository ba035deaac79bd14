import { startTestMock } from '../mock.js'
import { at, clear, moveTo, putAttempt, putConnector, putIndexed } from './associations.js'
import { groupsOf, itemOf } from './reports.js'

const mock = await startTestMock({ fixtures: 'empty' })
const manual = await startTestMock({ fixtures: 'empty', assume: { 'indexing.lifecycle': 'manual' } })

beforeEach(() => {
  clear(mock, manual)
  moveTo(mock, 0)
  moveTo(manual, 0)
})

describe('attempts and the clock (section 3)', () => {
  test('an association made through the API is scheduled, indexed and active', async () => {
    putIndexed(mock, 1)
    mock.sandbox.rows.connectorCredentials.remove(1)
    await mock.call('PUT', '/api/manage/connector/1/credential/1', { body: {} })
    const docs = [...mock.sandbox.rows.indexAttempts.all()][0]?.docs_indexed as number
    const itemAt = async (seconds: number) => {
      moveTo(mock, seconds)
      const it = await itemOf(mock)
      return [
        it.cc_pair_status,
        it.last_status,
        it.in_progress,
        it.last_finished_status,
        it.docs_indexed,
        it.last_success,
        it.latest_index_attempt_docs_indexed
      ]
    }
    const never = undefined
    const scheduled = ['SCHEDULED', 'not_started', false, never, 0, never, 0]
    expect(await itemAt(0)).toEqual(scheduled)
    expect(await itemAt(1.999)).toEqual(scheduled)
    expect(await itemAt(2)).toEqual(['INITIAL_INDEXING', 'in_progress', true, never, 0, never, 0])
    expect(await itemAt(6)).toEqual(['INITIAL_INDEXING', 'in_progress', true, never, 0, never, Math.floor(docs / 2)])
    const done = ['ACTIVE', 'success', false, 'success', docs, at(10), docs]
    expect(await itemAt(10)).toEqual(done)
    expect(await itemAt(10 + 1799)).toEqual(done)
    expect(await itemAt(1)).toEqual(scheduled)
  })

  test('nothing moves with indexing.lifecycle=manual: an attempt keeps the status that it was created with', async () => {
    putIndexed(manual, 1, { status: 'SCHEDULED' })
    putAttempt(manual, 1, { time_created: at(0), starts_at: at(2), settles_at: at(10) })
    moveTo(manual, 1000)
    expect(await itemOf(manual)).toMatchObject({
      last_status: 'not_started',
      cc_pair_status: 'SCHEDULED',
      docs_indexed: 0
    })
    putAttempt(manual, 1, { time_created: at(5), starts_at: at(2), settles_at: at(10) })
    expect(await itemOf(manual)).toMatchObject({ last_status: 'in_progress', cc_pair_status: 'INITIAL_INDEXING' })
    putAttempt(manual, 1, { time_created: at(10), starts_at: at(2), settles_at: at(10) })
    expect(await itemOf(manual)).toMatchObject({ last_status: 'success', cc_pair_status: 'ACTIVE', docs_indexed: 5 })
  })

  test.each(['success', 'canceled', 'failed', 'completed_with_errors'] as const)(
    'an attempt ends as %s if its row says so',
    async (as) => {
      putIndexed(mock, 1, { status: 'INITIAL_INDEXING' })
      putAttempt(mock, 1, { settles_at: at(10), settles_as: as })
      expect((await itemOf(mock)).last_status).toBe('in_progress')
      moveTo(mock, 10)
      const succeeded = as === 'success' || as === 'completed_with_errors'
      const item = await itemOf(mock)
      expect(item).toMatchObject({
        last_status: as,
        last_finished_status: as,
        cc_pair_status: succeeded ? 'ACTIVE' : 'INITIAL_INDEXING',
        docs_indexed: succeeded ? 5 : 0
      })
      expect(item.last_success).toBe(succeeded ? at(10) : undefined)
    }
  )

  test('an attempt without an end never changes, and one can be canceled before it starts', async () => {
    putIndexed(mock, 1)
    putAttempt(mock, 1, { settles_at: null, docs_indexed: 7 })
    moveTo(mock, 1e6)
    expect(await itemOf(mock)).toMatchObject({ last_status: 'in_progress', latest_index_attempt_docs_indexed: 7 })
    putAttempt(mock, 1, { starts_at: null, settles_at: null })
    expect((await itemOf(mock)).last_status).toBe('not_started')
    putAttempt(mock, 1, { starts_at: null, settles_at: at(1e6), settles_as: 'canceled' })
    expect((await itemOf(mock)).last_status).toBe('canceled')
  })

  test('the latest attempt counts, and the last finished one for last_finished_status', async () => {
    putIndexed(mock, 1)
    const { last_status, last_finished_status, latest_index_attempt_docs_indexed } = await itemOf(mock)
    expect([last_status, last_finished_status, latest_index_attempt_docs_indexed]).toEqual(Array(3).fill(undefined))
    putAttempt(mock, 1, { settles_as: 'failed' })
    putAttempt(mock, 1, { settles_at: at(10) })
    putAttempt(mock, 1, { starts_at: at(20), settles_at: at(30) })
    expect(await itemOf(mock)).toMatchObject({
      last_status: 'not_started',
      last_finished_status: 'failed',
      in_progress: false
    })
    moveTo(mock, 25)
    expect(await itemOf(mock)).toMatchObject({
      last_status: 'in_progress',
      last_finished_status: 'success',
      in_progress: true
    })
  })

  test('secondary_index reports the attempts on the index under construction', async () => {
    putIndexed(mock, 1, { docs_indexed: 100, last_success: at(-10), status: 'SCHEDULED' })
    putAttempt(mock, 1, { settles_as: 'failed' })
    putAttempt(mock, 1, { secondary_index: true })
    expect(await itemOf(mock)).toMatchObject({ last_status: 'failed' })
    const status = await itemOf(mock, { secondary_index: true })
    expect(status).toMatchObject({ last_status: 'success', docs_indexed: 100, cc_pair_status: 'INITIAL_INDEXING' })
  })

  test('a success that the row already includes is not counted twice', async () => {
    putIndexed(mock, 1, { docs_indexed: 100, last_success: at(-40) })
    putAttempt(mock, 1, { settles_at: at(-40) })
    putAttempt(mock, 1, { settles_at: at(10), docs_indexed: 20 })
    putAttempt(mock, 1, { settles_at: at(20), docs_indexed: 3, settles_as: 'completed_with_errors' })
    expect(await itemOf(mock)).toMatchObject({ docs_indexed: 100, last_success: at(-40) })
    moveTo(mock, 15)
    expect(await itemOf(mock)).toMatchObject({ docs_indexed: 120, last_success: at(10) })
    moveTo(mock, 20)
    expect(await itemOf(mock)).toMatchObject({ docs_indexed: 123, last_success: at(20) })
  })

  test.each(['PAUSED', 'INVALID', 'DELETING'] as const)('an association that is %s stays so', async (status) => {
    putIndexed(mock, 1, { status })
    putAttempt(mock, 1)
    expect((await itemOf(mock)).cc_pair_status).toBe(status)
    const [group] = await groupsOf(mock)
    expect(group?.summary.active_connectors).toBe(0)
  })

  test('a success ends the repeated errors', async () => {
    putIndexed(mock, 1, { in_repeated_error_state: true, last_success: at(-100) })
    putAttempt(mock, 1, { settles_at: at(10) })
    expect((await itemOf(mock)).in_repeated_error_state).toBe(true)
    moveTo(mock, 10)
    expect((await itemOf(mock)).in_repeated_error_state).toBe(false)
  })
})

const itemAt = async (seconds: number, on = mock) => {
  moveTo(on, seconds)
  const it = await itemOf(on)
  return [it.last_status, it.last_success, it.docs_indexed, it.last_finished_status]
}

test('an association is indexed again (refresh_freq) in the rhythm of its connector, as a function of the clock', async () => {
  putIndexed(mock, 1, { docs_indexed: 100 })
  putAttempt(mock, 1, { settles_at: at(0), docs_indexed: 7 })
  expect(await itemAt(1799)).toEqual(['success', at(0), 107, 'success'])
  expect(await itemAt(1800)).toEqual(['in_progress', at(0), 107, 'success'])
  expect(await itemAt(1809.999)).toEqual(['in_progress', at(0), 107, 'success'])
  expect(await itemAt(1810)).toEqual(['success', at(1810), 107, 'success'])
  expect(await itemAt(3609.999)).toEqual(['success', at(1810), 107, 'success'])
  expect(await itemAt(3610)).toEqual(['in_progress', at(1810), 107, 'success'])
  expect(await itemAt(1810 * 1000 + 5)).toEqual(['success', at(1810 * 1000), 107, 'success'])
  expect(await itemAt(5)).toEqual(['success', at(0), 107, 'success'])
})

test('an association is indexed again (refresh_freq) with few changed documents, the same at the same time', async () => {
  putIndexed(mock, 1)
  putAttempt(mock, 1, { settles_at: at(0), docs_indexed: 400 })
  const found = async (rounds: number) => {
    moveTo(mock, rounds * 1810)
    return (await itemOf(mock)).latest_index_attempt_docs_indexed as number
  }
  const first = await Promise.all([await found(1), await found(2), await found(3), await found(4)])
  expect(Math.max(...first)).toBeLessThanOrEqual(20)
  expect(new Set(first).size).toBeGreaterThan(1)
  expect([await found(1), await found(2), await found(3), await found(4)]).toEqual(first)
})

test.each([
  ['failed', true, 'failed'],
  ['failed', false, 'success'],
  ['completed_with_errors', false, 'completed_with_errors']
] as const)(
  'an association is indexed again (refresh_freq) after %s, where repeated errors are %s, it ends as %s',
  async (settles_as, isFailing, as) => {
    putIndexed(mock, 1, { in_repeated_error_state: isFailing })
    putAttempt(mock, 1, { settles_at: at(0), settles_as })
    moveTo(mock, 2000)
    const item = await itemOf(mock)
    expect(item).toMatchObject({ last_status: as, in_repeated_error_state: isFailing })
    expect(item.last_success).toBe(as === 'failed' ? undefined : at(1810))
  }
)

test.each([
  ['is paused', { status: 'PAUSED' }, 1800],
  ['is being deleted', { status: 'DELETING' }, 1800],
  ['was never indexed successfully', { status: 'INITIAL_INDEXING' }, 1800],
  ['has a connector without refresh_freq', {}, null],
  ['has a refresh_freq of 0', {}, 0]
] as const)('an association is indexed again (refresh_freq) not where it %s', async (_, own, refresh_freq) => {
  putIndexed(mock, 1, own)
  putConnector(mock, 1, { refresh_freq })
  putAttempt(mock, 1, { settles_at: at(0), settles_as: 'failed' })
  expect((await itemAt(1e7))[0]).toBe('failed')
})

test('an association is indexed again (refresh_freq) but not if attempts do not move, or under indexing.refresh=never', async () => {
  const never = await startTestMock({ fixtures: 'empty', assume: { 'indexing.refresh': 'never' } })
  for (const on of [manual, never]) {
    putIndexed(on, 1)
    putAttempt(on, 1, { settles_at: at(-1), time_created: at(0) })
    expect((await itemAt(1e6, on)).slice(0, 2)).toEqual(['success', at(-1)])
  }
})

test('an association is indexed again (refresh_freq) up to the end of the calendar', async () => {
  putIndexed(mock, 1)
  putAttempt(mock, 1, { settles_at: at(0) })
  const last = Date.parse('9999-12-31T23:59:59.999Z')
  mock.sandbox.clock.set({ now: last })
  expect((await itemOf(mock)).last_finished_status).toBe('success')
  mock.sandbox.clock.set({ now: last - 1000 })
  expect((await itemOf(mock)).last_finished_status).toBe('success')
})
