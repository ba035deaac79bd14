import { startTestMock } from '../mock.js'

const mock = await startTestMock()
const next = (sandbox: string, name: string) =>
  mock.call('POST', `/__mock/scenarios/${name}/scenes/next`, { headers: { 'X-Mock-Sandbox': sandbox } })
const statuses = (sandbox: string) =>
  mock
    .handle(sandbox)
    .rows('userFiles')
    .filter(({ name }) => name === 'Scanned contract.pdf')
    .map(({ status }) => status)

test('the scenes of a scenario are shown one after the other, and then from the first again', async () => {
  const { steps } = (await mock.call('GET', '/__mock/scenarios/upload-fails')).body
  const names = steps.flatMap((it: { snapshot?: { name: string } }) => it.snapshot?.name ?? [])
  const seen: unknown[] = []
  for (const _ of [...names, 'again']) {
    const { status, body } = await next('demo', 'upload-fails')
    expect([status, body.detail, body.scenario, body.of]).toEqual([200, undefined, 'upload-fails', names.length])
    seen.push([body.number, body.name, ...statuses('demo')])
  }
  expect(seen).toEqual([
    [1, names[0], 'PROCESSING'],
    [2, names[1], 'FAILED'],
    [1, names[0], 'PROCESSING']
  ])
})

test('the next scene undoes the changes of the last one, and another sandbox, a reset and a play begin with the first', async () => {
  const number = async (sandbox: string) => (await next(sandbox, 'upload-fails')).body.number
  expect(await number('own')).toBe(1)
  const label = mock.handle('own').create('labels')
  expect(await number('other')).toBe(1)
  expect(await number('own')).toBe(2)
  expect(mock.handle('own').rows('labels')).not.toContainEqual(label)
  await next('own', 'upload-fails')
  mock.handle('own').reset()
  expect(await number('own')).toBe(1)
  await mock.handle('own').play('upload-fails')
  expect(await number('own')).toBe(1)
  for (const name of ['processing', 'failed']) mock.handle('own').restore(name)
  await mock.call('DELETE', '/__mock/snapshots/failed', { headers: { 'X-Mock-Sandbox': 'own' } })
  expect([await number('own'), statuses('own')]).toEqual([2, ['FAILED']])
})

test('a scenario that is unknown, or has no scenes, is refused with those that have', async () => {
  const unknown = await next('refused', 'nothing')
  expect([unknown.status, unknown.body.detail]).toEqual([404, expect.stringContaining('upload-fails')])
  const none = await next('refused', 'slow-network')
  expect([none.status, none.body.detail]).toEqual([409, expect.stringContaining('upload-fails')])
})
