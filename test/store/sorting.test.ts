import fc from 'fast-check'
import { atOnce, inTurns, sorting } from '../../src/engine/store/steps.js'

const byFirst = ([a]: [number, number], [b]: [number, number]) => a - b

test('sorting in steps gives the same result as sorting at once, with equal items in their order', () => {
  const lengths = fc.constantFrom(0, 1, 4999, 5000, 5001, 10_000, 17_777)
  fc.assert(
    fc.property(lengths, fc.integer(), fc.integer({ min: 1, max: 20_000 }), (length, seed, values) => {
      const items = Array.from({ length }, (_, at): [number, number] => [Math.abs((seed + at * 7919) % values), at])
      expect(atOnce(sorting(items, byFirst))).toEqual([...items].sort(byFirst))
    }),
    { numRuns: 30 }
  )
})

test('sorting in steps lets other work run in between', async () => {
  const done: string[] = []
  function* work() {
    // Without pauses for others, it ends in one turn.
    for (let steps = 0; steps < 10_000_000 && done.length === 0; steps++) yield
    done.push('work')
    return 'made'
  }
  setImmediate(() => done.push('other'))
  expect(await inTurns(work())).toBe('made')
  expect(done).toEqual(['other', 'work'])
})
