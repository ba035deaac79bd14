import fc from 'fast-check'
import { createMock as openMock } from '../../src/doors/program/mock.js'
import { readRows } from '../../src/engine/control/state/whole-state.js'
import { jsonPieces } from '../../src/engine/control/steps.js'
import { collectionOf } from '../../src/engine/store/rows.js'
import { createMock } from '../../src/index.js'
import { seed } from '../property/steps.js'

test('the pieces together equal what JSON.stringify writes', () => {
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

test('no piece is much longer than its size plus the one value that exceeds it', () => {
  const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: 'n'.repeat(100) }))
  const pieces = [...jsonPieces({ collections: { rows } })]
  expect(pieces.length).toBeGreaterThan(7)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(256 * 1024 + 200)
})

/** Counts the turns of the event loop until a promise is resolved. */
async function turnsUntil<T>(promise: Promise<T>): Promise<[number, T]> {
  let turns = 0
  let isCounting = true
  const count = () => {
    turns += 1
    if (isCounting) setImmediate(count)
  }
  setImmediate(count)
  const result = await promise
  isCounting = false
  return [turns, result]
}

test('large answers pause, so that other requests are answered in between', async () => {
  const mock = createMock({})
  mock.sandbox('default').clock.freeze()
  const state = async () => (await mock.fetch(new Request('http://localhost/__mock/state'))).text()
  const first = await state()
  const [turns, all] = await turnsUntil(Promise.all(Array.from({ length: 50 }, state)))
  // Each is started in its own turn.
  expect(turns).toBeGreaterThanOrEqual(50)
  expect(new Set([first, ...all]).size).toBe(1)
  await mock.close()
})

test('large states pause while they are read in, however small their values are', async () => {
  const mock = createMock({ fixtures: 'empty' })
  const url = 'http://localhost/__mock/state'
  const body = await (await mock.fetch(url)).text()
  const put = () => mock.fetch(url, { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body })
  const [turns, all] = await turnsUntil(Promise.all(Array.from({ length: 50 }, put)))
  expect(turns).toBeGreaterThanOrEqual(50)
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
  await mock.close()
})

test('names of rows are found row by row, as they were when the reading began', () => {
  const mock = openMock({ onProblem: () => {} })
  const sandbox = mock.sandboxes.use('default')
  const personas = collectionOf(sandbox.rows, 'personas')
  const context = { sandbox, contract: mock.edition.contractOf(sandbox.choices), hidesSecrets: false }
  const read = (names: boolean) => {
    const input = { path: { collection: 'chatSessions' }, query: { names } }
    const steps = readRows(input as never, context as never)
    let count = 0
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return { count, reply: step.value }
      count++
      for (const persona of [...personas.all()]) personas.put({ ...persona, name: `Renamed ${names}` })
    }
  }
  const [plain, named] = [read(false), read(true)]
  expect(named.count - plain.count).toBe(named.reply.total)
  expect(Object.values(named.reply.names?.personas ?? {})).not.toContain('Renamed true')
})
