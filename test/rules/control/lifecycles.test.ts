import { startTestMock } from '../../mock.js'

const mock = await startTestMock()
beforeEach(() => mock.reset())

interface Lifecycle {
  collection: string
  id: string | number
  status: string
  next: string | null
  at: string | null
  reads_left?: number
}

async function lifecycles(query = ''): Promise<Lifecycle[]> {
  return (await mock.call('GET', `/__mock/lifecycles${query}`)).body.lifecycles
}
const assume = (choices: Record<string, string>) => mock.call('PATCH', '/__mock/assumptions', { body: choices })
const find = async (id: string | number) => (await lifecycles()).find((it) => it.id === id)

test('rows with a lifecycle are listed with their next step, the soonest first, and take it then', async () => {
  const moments = (await lifecycles()).flatMap(({ at }) => at ?? [])
  expect(moments).toEqual([...moments].sort())
  expect(new Set((await lifecycles()).map(({ status }) => status))).toEqual(
    new Set(['PROCESSING', 'DELETING', 'not_started', 'in_progress'])
  )
  const [waiting] = (await lifecycles()).filter(({ status }) => status === 'not_started')
  await mock.call('PUT', '/__mock/clock', { body: { now: waiting?.at } })
  const running = await find(waiting?.id as number)
  expect(running).toMatchObject({ status: 'in_progress' })
  await mock.call('PUT', '/__mock/clock', { body: { now: running?.at } })
  expect(await find(waiting?.id as number)).toBeUndefined()
})

test('a deleted file is listed until it is gone', async () => {
  const [file] = [...mock.sandbox.rows.userFiles.all()].filter(({ status }) => status === 'COMPLETED')
  const owner = mock.sandbox.rows.users.get(file?.user_id as string)
  await mock.call('DELETE', `/api/user/projects/file/${file?.id}`, { as: owner?.key ?? '' })
  expect(await find(file?.id as string)).toMatchObject({
    status: 'DELETING',
    next: 'gone',
    at: '2026-03-02T10:00:02.000Z'
  })
  await mock.call('PUT', '/__mock/clock', { body: { advance: 2000 } })
  expect(await find(file?.id as string)).toBeUndefined()
})

test('rows that follow reads show how many are left, and rows that never move have no next step', async () => {
  await assume({ 'files.lifecycle': 'after-3-reads' })
  const [file] = (await lifecycles()).filter(({ status }) => status === 'PROCESSING')
  expect(file).toMatchObject({ at: null, reads_left: 3 })
  await assume({ 'files.lifecycle': 'manual', 'indexing.lifecycle': 'manual' })
  const still = (await lifecycles()).filter(({ status }) => status !== 'DELETING')
  expect(still.length).toBeGreaterThan(0)
  expect(still.filter(({ next, at }) => next !== null || at !== null)).toEqual([])
  await assume({ 'files.lifecycle': 'immediate' })
  expect((await lifecycles()).filter(({ status }) => status === 'PROCESSING')).toEqual([])
})

test('a limit applies to the list and not to the total', async () => {
  const { body } = await mock.call('GET', '/__mock/lifecycles?limit=2')
  expect(body.lifecycles).toHaveLength(2)
  expect(body.total).toBe((await lifecycles()).length)
})
