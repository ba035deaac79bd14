import { startTestMock } from '../../mock.js'

const mock = await startTestMock()
const ask = (sandbox: string, method: string, path: string, body?: unknown) =>
  mock.call(method, path, { body, headers: { 'X-Mock-Sandbox': sandbox } })
const role = async (sandbox: string) => (await ask(sandbox, 'GET', '/api/get-user-role')).status
const roles = async (sandbox: string, count: number) => {
  const statuses: number[] = []
  for (let at = 0; at < count; at++) statuses.push(await role(sandbox))
  return statuses
}

test('an override with a rate answers its share of the requests, and the same ones again after a reset', async () => {
  const run = async (sandbox: string) => {
    await ask(sandbox, 'POST', '/__mock/overrides', { operation: 'getUserRole', status: 503, rate: 0.2 })
    return roles(sandbox, 100)
  }
  const first = await run('rate')
  const count = first.filter((status) => status === 503).length
  expect(count).toBeGreaterThan(8)
  expect(count).toBeLessThan(35)
  expect(first.length - count).toBe(first.filter((status) => status === 200).length)
  await ask('rate', 'POST', '/__mock/reset', {})
  expect(await run('rate')).toEqual(first)
  await ask('rate', 'POST', '/__mock/reset', { seed: 2 })
  expect(await run('rate')).not.toEqual(first)
})

test('an override with a rate leaves the other requests to the override before it', async () => {
  const box = mock.handle('below')
  box.override({ operation: 'getUserRole', status: 429, body: {} })
  box.override({ operation: 'getUserRole', status: 503, rate: 0.5 })
  expect(new Set(await roles('below', 40))).toEqual(new Set([429, 503]))
})

test('an override with a rate of 0 answers none, and of 1 all', async () => {
  mock.handle('none').override({ operation: 'getUserRole', status: 503, rate: 0 })
  mock.handle('all').override({ operation: 'getUserRole', status: 503, rate: 1 })
  expect([await roles('none', 5), await roles('all', 5)]).toEqual([Array(5).fill(200), Array(5).fill(503)])
})

test('an override with a sequence gives its answers in turn, and repeats the last one', async () => {
  mock.handle('turns').override({
    operation: 'getUserRole',
    sequence: [{ status: 503 }, { status: 200, body: { role: 'basic' } }, {}, { status: 500 }]
  })
  expect(await roles('turns', 6)).toEqual([503, 200, 200, 500, 500, 500])
})

test('an override with a sequence lets the rule answer a turn with only a status below 300', async () => {
  mock.handle('usual').override({ operation: 'updatePersona', sequence: [{ status: 503 }, { status: 200 }] })
  const rename = (name: string) => ask('usual', 'PATCH', '/api/persona/1', { name })
  expect([(await rename('One')).status, (await rename('Two')).body.name]).toEqual([503, 'Two'])
  expect((await ask('usual', 'GET', '/api/persona/1')).body.name).toBe('Two')
})

test('an override with a sequence is over after the given times', async () => {
  mock.handle('over').override({ operation: 'getUserRole', sequence: [{ status: 500 }, { status: 503 }], times: 3 })
  expect(await roles('over', 5)).toEqual([500, 503, 503, 200, 200])
})

test('an override with a sequence delays and breaks connections, too', async () => {
  mock.handle('breaks').override({
    path: '/api/elsewhere',
    sequence: [{ fault: 'EMPTY_RESPONSE' }, { status: 200, body: { is: 'there' } }]
  })
  await expect(ask('breaks', 'GET', '/api/elsewhere')).rejects.toThrow()
  expect((await ask('breaks', 'GET', '/api/elsewhere')).body).toEqual({ is: 'there' })
})

test.each([
  [{ operation: 'getUserRole', status: 503, rate: 2 }, 'rate'],
  [{ operation: 'getUserRole', rate: 0.5 }, 'body'],
  [{ operation: 'getUserRole', sequence: [] }, 'sequence'],
  [{ operation: 'getUserRole', status: 500, sequence: [{ status: 200 }] }, 'status'],
  [{ operation: 'getUserRole', sequence: [{ status: 204, body: {} }] }, 'sequence.0.body'],
  [{ operation: 'getUserRole', sequence: [{}, { delay: { type: 'fixed' } }] }, 'sequence.1.delay.milliseconds'],
  [{ operation: '*', status: 500, match: { path: { id: 1 } } }, 'match.path']
])('%j is refused, and the field named', async (override, field) => {
  const { status, body } = await ask('wrong', 'POST', '/__mock/overrides', override)
  expect([status, body.errors.map((it: { field: string }) => it.field)]).toEqual([400, [field]])
})

const set = (sandbox: string, profile: string) => ask(sandbox, 'PUT', '/__mock/weather', { profile })

test('the weather is fair at first; another one replaces the one before, and fair ends it', async () => {
  expect((await ask('changes', 'GET', '/__mock/weather')).body).toEqual({ profile: 'fair', overrides: [] })
  await set('changes', 'slow')
  expect((await set('changes', 'flaky')).body).toMatchObject({
    profile: 'flaky',
    overrides: [{ operation: '*', status: 503, weather: 'flaky' }]
  })
  expect((await ask('changes', 'GET', '/__mock/overrides')).body.overrides).toHaveLength(1)
  await set('changes', 'fair')
  expect((await ask('changes', 'GET', '/__mock/overrides')).body.overrides).toEqual([])
})

test('the weather named flaky fails some requests of any operation, the same ones for the same seed', async () => {
  await set('flaky', 'flaky')
  const first = await roles('flaky', 60)
  expect(new Set(first)).toEqual(new Set([200, 503]))
  await ask('flaky', 'POST', '/__mock/reset', {})
  await set('flaky', 'flaky')
  expect(await roles('flaky', 60)).toEqual(first)
  expect((await ask('flaky', 'GET', '/__mock/health')).status).toBe(200)
})

test('the weather named rate-limited refuses some requests with 429', async () => {
  mock.handle('limited').weather('rate-limited')
  expect(new Set(await roles('limited', 30))).toEqual(new Set([200, 429]))
})

test('the weather named degrading has no failures at first', async () => {
  const { body } = await set('degrading', 'degrading')
  expect(await roles('degrading', 5)).toEqual(Array(5).fill(200))
  const [{ sequence }] = body.overrides
  expect(sequence.at(-1)).toMatchObject({ status: 503 })
})

test('the weather does not affect the requests of other overrides, in any order', async () => {
  const box = mock.handle('chosen')
  box.override({ operation: 'getUserRole', status: 418 })
  box.weather('rate-limited')
  expect(new Set(await roles('chosen', 10))).toEqual(new Set([418]))
})

test('the weather with an unknown name is refused with the known ones', async () => {
  const { status, body } = await set('unknown', 'foggy')
  expect([status, body.errors[0].allowed]).toEqual([400, ['flaky', 'slow', 'rate-limited', 'degrading', 'fair']])
})
