import { startTestMock } from '../../mock.js'

const mock = await startTestMock()
beforeEach(() => mock.reset())

const turn = (id: string, body: unknown) => mock.call('PATCH', `/__mock/overrides/${id}`, { body })
const listed = async () => (await mock.call('GET', '/__mock/overrides')).body.overrides

beforeEach(async () => {
  await mock.call('POST', '/__mock/overrides', {
    body: { operation: 'getPersona', status: 404, body: { detail: 'Gone' } }
  })
})

test('an override that is off shows it, keeps its place, and works as before when it is on again', async () => {
  const [before] = await listed()
  await mock.call('POST', '/__mock/overrides', { body: { operation: 'searchChats', status: 500 } })
  expect((await turn('o1', { off: true })).body).toEqual({ ...before, off: true })
  expect((await listed()).map(({ id, off }: { id: string; off?: boolean }) => [id, off])).toEqual([
    ['o2', undefined],
    ['o1', true]
  ])
  expect((await turn('o1', { off: false })).body).toEqual(before)
})

test('an override that is off matches no request', async () => {
  await turn('o1', { off: true })
  expect((await mock.call('GET', '/api/persona/1')).body.id).toBe(1)
})

test('a fork has the same overrides off', async () => {
  await turn('o1', { off: true })
  await mock.call('POST', '/__mock/sandboxes', { body: { name: 'forked', from: 'default' } })
  const { overrides } = (await mock.call('GET', '/__mock/overrides', { as: 'admin~forked' })).body
  expect(overrides).toMatchObject([{ id: 'o1', off: true }])
})

test('a missing override, or a value other than on and off, is refused', async () => {
  expect((await turn('o9', { off: true })).status).toBe(404)
  expect((await turn('o1', {})).body.errors).toMatchObject([{ field: 'off' }])
  expect((await turn('o1', { off: 'maybe' })).status).toBe(400)
  expect((await listed())[0].off).toBeUndefined()
})
