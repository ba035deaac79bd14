import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMock } from '../../../src/doors/program/mock.js'
import { startTestMock } from '../../mock.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-prepared-'))

/** Counts how often the rows of a start were made. */
const made = globalThis as { prepared?: number }
writeFileSync(
  join(folder, 'fixtures.cjs'),
  'module.exports = () => { globalThis.prepared += 1; return { labels: [{ name: "Own" }] } }\n'
)
beforeEach(() => {
  made.prepared = 0
})

test('a server makes its first rows before it is ready, not during requests', async () => {
  const mock = await startTestMock({ with: [folder] })
  expect(made.prepared).toBe(1)
  for (const as of ['admin', 'admin~other']) expect((await mock.call('GET', '/api/persona/1', { as })).status).toBe(200)
  expect(made.prepared).toBe(1)
  expect(mock.handle('default').rows('labels')).toContainEqual(expect.objectContaining({ name: 'Own' }))
})

test('a mock without a listener makes the rows of a folder once, not during requests', async () => {
  const [one, two] = [createMock({ with: [folder] }), createMock({ with: [folder] })]
  await one.ready
  await one.fetch('http://mock/api/persona/1')
  await Promise.all([two.fetch('http://mock/api/persona/1'), two.fetch('http://mock/api/persona/2')])
  expect(made.prepared).toBe(2)
  await Promise.all([one.close(), two.close()])
})

test.each([{}, { scenario: 'power-user' }])('other work continues while many rows are made: %j', async (options) => {
  const mock = createMock({ fixtures: 'large', scale: 2, ...options })
  let turns = 0
  let isDone = false
  const count = () => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await mock.ready
  isDone = true
  // Without pauses it would take one turn, or two.
  expect(turns).toBeGreaterThan(5)
  expect((await mock.fetch('http://mock/api/persona/1', { headers: { Authorization: 'Bearer admin' } })).status).toBe(
    200
  )
  await mock.close()
})
