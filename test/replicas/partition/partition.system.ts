import { join } from 'node:path'
import { packageRoot } from '../../../src/engine/contract/load.js'
import { changed, mutants } from './mutants.js'
import { deeds } from './nemesis.js'
import { partition } from './run.js'

test('three processes on one engine never lose, double or turn back anything, whatever fails once', async () => {
  const main = join(packageRoot(), 'dist/main.js')
  const { faults, writes, mirrors, ...report } = await partition({ main, seed: 3, calls: 1500 })
  expect(faults).toEqual([])
  expect(Object.keys(report.deeds)).toEqual(Object.keys(deeds))
  expect([writes > 200, mirrors > 4]).toEqual([true, true])
})

test('each mutant of the protocol still has its place in src', () => {
  for (const it of mutants) expect(() => changed(packageRoot(), it)).not.toThrow()
})
