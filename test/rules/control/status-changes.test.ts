import type { Lifecycle, StatusChange } from '../../../src/engine/contract/types.gen.js'
import { startTestMock } from '../../mock.js'

const now = '2026-03-02T10:00:00.000Z'
const mock = await startTestMock({ fixtures: 'empty', now })
const demo = await startTestMock({ now })

/** Calls of one sandbox. */
function sandboxOf(name: string, place = mock) {
  const ask = async (method: string, path: string, body?: unknown) =>
    (await place.call(method, path, { as: `admin~${name}`, body })).body
  const advance = (time: string) => ask('PUT', '/__mock/clock', { advance: time })
  const history = () => ask('GET', '/__mock/history')
  const changes = async () => (await history()).status_changes
  const file = (values: object = {}) =>
    ask('POST', '/__mock/state/userFiles', { user_id: 'basic', status: 'PROCESSING', ...values })
  return { ask, advance, history, changes, file }
}

test('a clock that is set past the end of a file lists the change of its status, and every moment around it can be shown', async () => {
  const { ask, advance, changes, file } = sandboxOf('passed')
  const { id, name } = await file()
  const [{ at: ends, next }] = (await ask('GET', '/__mock/lifecycles')).lifecycles
  await advance('1d')
  const [change, ...others] = await changes()
  expect(others).toEqual([])
  const length = Date.parse(ends) - Date.parse('2026-03-02T10:00:00.000Z')
  const expected = { collection: 'userFiles', row: id, name, from: 'PROCESSING', to: next, time: ends }
  expect(change).toMatchObject({ id: `m1.${length}`, ...expected })
  const statusAt = async (at: string) => (await ask('GET', `/__mock/state/userFiles/${id}?at=${at}`)).status
  expect([await statusAt(`m1.${length - 1}`), await statusAt(change.id), await statusAt('m1.0')]).toEqual([
    'PROCESSING',
    next,
    'PROCESSING'
  ])
  expect(await ask('GET', `/__mock/clock?at=${change.id}`)).toEqual({ now: ends, speed: 0 })
  // What continues from there has the clock of that moment.
  await ask('POST', '/__mock/sandboxes', { name: 'from-there', from: 'passed', at: `m1.${length - 1}` })
  const fork = sandboxOf('from-there')
  expect((await fork.ask('GET', '/__mock/lifecycles')).lifecycles).toMatchObject([{ id }])
  await fork.advance('1ms')
  expect((await fork.ask('GET', '/__mock/lifecycles')).lifecycles).toEqual([])
  await ask('POST', `/__mock/history/m1.${length - 1}/restore`)
  expect((await ask('GET', '/__mock/lifecycles')).lifecycles).toMatchObject([{ id }])
})

test('a file that is changed, moved or removed meanwhile has status changes only while it exists', async () => {
  const { ask, advance, changes, file } = sandboxOf('versions')
  const [renamed, moved, removed, late] = [await file(), await file(), await file(), await file()]
  await advance('1ms')
  await ask('PATCH', `/__mock/state/userFiles/${renamed.id}`, { name: 'renamed.txt' })
  await ask('POST', `/__mock/lifecycles/userFiles/${moved.id}`, { to: 'COMPLETED' })
  await ask('DELETE', `/__mock/state/userFiles/${removed.id}`)
  await advance('1d')
  await ask('DELETE', `/__mock/state/userFiles/${late.id}`)
  const rows = (await changes()).map(({ row, name }: { row: string; name: string }) => [row, name])
  expect(rows).toEqual(
    expect.arrayContaining([
      [renamed.id, 'renamed.txt'],
      [late.id, late.name]
    ])
  )
  expect(rows).toHaveLength(2)
})

test('each status change is one that the lifecycles of the moment before announced, and none is missing', async () => {
  const { ask, advance, changes } = sandboxOf('promised', demo)
  const { latest } = await ask('GET', '/__mock/history')
  for (const time of ['1ms', '1h', '3d']) await advance(time)
  const lifecycles = async (at: string) => (await ask('GET', `/__mock/lifecycles?at=${at}`)).lifecycles as Lifecycle[]
  const list = (await changes()) as StatusChange[]
  const attempts = list.filter(({ collection }) => collection === 'indexAttempts')
  expect(attempts.length).toBeGreaterThan(5)
  expect(attempts.some(({ from }) => from === 'not_started')).toBe(true)
  for (const { id, row, from, to, time } of list) {
    const [moment, later] = id.split('.')
    const before = await lifecycles(`${moment}.${Number(later) - 1}`)
    const after = await lifecycles(id)
    expect(before).toContainEqual(expect.objectContaining({ id: row, status: from, next: to, at: time }))
    expect(after.find((it) => it.id === row && it.status === from)).toBeUndefined()
  }
  const ids = list.map(({ row, time }) => `${row} ${time}`)
  const { now } = await ask('GET', '/__mock/clock')
  const promised = (await lifecycles(latest)).filter(({ at }) => at !== null && at <= now)
  expect(ids).toEqual(expect.arrayContaining(promised.map(({ id, at }) => `${id} ${at}`)))
})

test('a clock that is set back passes a change twice, and a choice, a reset and a read of the past cause none', async () => {
  const { ask, advance, changes, history, file } = sandboxOf('back')
  const { id } = await file()
  await advance('1d')
  await ask('PUT', '/__mock/clock', { now: '2026-03-02T10:00:00.000Z' })
  await advance('1d')
  expect((await changes()).map(({ row }: { row: string }) => row)).toEqual([id, id])
  await ask('PUT', '/__mock/clock', { now: '2026-03-02T10:00:00.000Z' })
  await ask('PATCH', '/__mock/assumptions', { 'files.lifecycle': 'manual' })
  await advance('1d')
  expect(await changes()).toHaveLength(2)
  const { latest } = await history()
  await ask('POST', '/__mock/reset?keep_journal=true')
  await advance('1d')
  expect(await changes()).toHaveLength(2)
  expect((await ask('GET', `/__mock/history?since=${latest}`)).status_changes).toEqual([])
})

test('a moment outside of its length is refused with the length', async () => {
  const { ask, advance } = sandboxOf('over')
  await advance('1s')
  await advance('1s')
  expect((await ask('GET', '/__mock/state?at=m1.1001')).detail).toBe(
    'There is no moment m1.1001. Give a moment from m0 to m2. m1 lasted 1000 milliseconds.'
  )
  expect((await ask('GET', '/__mock/state?at=m9.5')).detail).toBe(
    'There is no moment m9.5. Give a moment from m0 to m2.'
  )
  expect((await ask('GET', '/__mock/state?at=r1.5')).errors).toMatchObject([{ field: 'at' }])
})

test('overrides, choices and coverage read as they were', async () => {
  const { ask } = sandboxOf('then')
  await ask('GET', '/api/persona/999')
  await ask('POST', '/__mock/overrides', { operation: 'getPersona', status: 418 })
  await ask('PATCH', '/__mock/assumptions', { 'files.lifecycle': 'manual' })
  await ask('GET', '/api/persona/999')
  await ask('GET', '/api/nowhere')
  const overrides = async (at: string) => (await ask('GET', `/__mock/overrides?at=${at}`)).overrides
  const choice = async (at: string) =>
    (await ask('GET', `/__mock/assumptions?at=${at}&q=files.lifecycle`)).assumptions.find(
      ({ id }: { id: string }) => id === 'files.lifecycle'
    ).choice
  const seen = async (at: string) => {
    const { operations, unknown } = await ask('GET', `/__mock/coverage?at=${at}`)
    const { statuses } = operations.find(({ operation }: { operation: string }) => operation === 'getPersona')
    const count = (wanted: number) => statuses.find(({ status }: { status: number }) => status === wanted)?.seen ?? 0
    return [count(404), count(418), unknown.length]
  }
  expect([await overrides('m0'), (await overrides('m1')).length]).toEqual([[], 1])
  expect([await choice('m1'), await choice('m2')]).toEqual(['clock', 'manual'])
  expect([await seen('m0'), await seen('r1'), await seen('m2'), await seen('r2'), await seen('r3')]).toEqual([
    [0, 0, 0],
    [1, 0, 0],
    [1, 0, 0],
    [1, 1, 0],
    [1, 1, 1]
  ])
})
