import { Low } from 'lowdb'
import { startTestMock } from '../../mock.js'

const mock = await startTestMock()

test('mock.db is a lowdb database of the sandbox default, without data before the first read', async () => {
  const { db } = mock
  expect([db instanceof Low, db.data, mock.db === db]).toEqual([true, null, true])
  await db.read()
  expect(db.data).toEqual((await mock.call('GET', '/__mock/state')).body)
})

test('the platform answers what was changed in place and written, and a restart reads the same', async () => {
  const { db } = mock.handle('changed')
  await db.read()
  const persona = db.data.collections.personas?.find(({ id }) => id === 1)
  Object.assign(persona as object, { name: 'Renamed' })
  const before = await mock.call('GET', '/api/persona/1', { as: 'admin~changed' })
  await db.write()
  const after = await mock.call('GET', '/api/persona/1', { as: 'admin~changed' })
  expect([before.body.name === 'Renamed', after.body.name]).toEqual([false, 'Renamed'])
  expect((await mock.call('GET', '/api/persona/1')).body.name).toBe(before.body.name)
})

test('update reads first, so it loses no change made since', async () => {
  const box = mock.handle('updated')
  const { db } = box
  await db.read()
  box.create('labels', { name: 'Between' })
  await db.update(({ collections }) => collections.labels?.push({ id: 900, name: 'By lowdb' }))
  expect(box.rows('labels').map(({ name }) => name)).toEqual(expect.arrayContaining(['Between', 'By lowdb']))
})

test('a wrong row is refused with its place and changes nothing, and the values stay until the next read', async () => {
  const box = mock.handle('refused')
  const { db } = box
  const before = box.state
  const wrong = db.update(({ collections }) => collections.labels?.push({ id: 901, name: 7 as never }))
  await expect(wrong).rejects.toThrow(/collections\.labels\.\d+\.name: Input should be a valid string/)
  expect([box.state.collections, db.data.collections.labels?.at(-1)]).toEqual([
    before.collections,
    { id: 901, name: 7 }
  ])
  await db.read()
  expect(db.data.collections).toEqual(before.collections)
  await db.write()
  expect(box.state.collections).toEqual(before.collections)
})

test('concurrent updates lose nothing, and one that throws changes nothing of the others', async () => {
  const box = mock.handle('together')
  const { db } = box
  const first = db.update(({ collections }) => collections.labels?.push({ id: 910, name: 'First' }))
  const between = box.create('labels', { name: 'Between' })
  const thrown = db.update(({ collections }) => {
    collections.labels?.push({ id: 911, name: 'Never' })
    throw new Error('a mistake in the program')
  })
  const last = db.update(({ collections }) => collections.labels?.push({ id: 912, name: 'Last' }))
  await expect(thrown).rejects.toThrow('a mistake in the program')
  await Promise.all([first, last])
  const names = box.rows('labels').map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['First', between.name, 'Last']))
  expect(names).not.toContain('Never')
})
