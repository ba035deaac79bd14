import fc from 'fast-check'
import { jsonPieces } from '../../src/engine/serve/control/control.js'
import { createMock } from '../../src/index.js'
import { seed } from '../property/steps.js'

test('pieces together are what JSON.stringify writes', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 6 }),
    fc.object({ withDate: true, withNullPrototype: true, maxDepth: 5 })
  )
  fc.assert(
    fc.property(value, (given) => {
      expect([...jsonPieces(given)].join('')).toBe(JSON.stringify(given))
    }),
    { seed, numRuns: 500 }
  )
})

test('values that JSON lacks are written as JSON.stringify does', () => {
  const given = {
    a: undefined,
    b: [undefined, () => 1],
    c: { toJSON: () => [1, 2] },
    d: [],
    e: {},
    f: Object.create(null)
  }
  expect([...jsonPieces(given)].join('')).toBe(JSON.stringify(given))
})

test('no piece is much longer than its size and the one value that goes beyond it', () => {
  const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: 'n'.repeat(100) }))
  const pieces = [...jsonPieces({ collections: { rows } })]
  expect(pieces.length).toBeGreaterThan(7)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(256 * 1024 + 200)
})

test('large answers take turns, so that other requests are answered between them', async () => {
  const mock = createMock({})
  mock.sandbox('default').clock.freeze()
  const state = async () => (await mock.fetch(new Request('http://localhost/__mock/state'))).text()
  const first = await state()
  let turns = 0
  let isCounting = true
  const count = () => {
    turns += 1
    if (isCounting) setImmediate(count)
  }
  setImmediate(count)
  const all = await Promise.all(Array.from({ length: 50 }, state))
  isCounting = false
  // Each is started in a turn of its own.
  expect(turns).toBeGreaterThanOrEqual(50)
  expect(new Set([first, ...all]).size).toBe(1)
  await mock.close()
})
