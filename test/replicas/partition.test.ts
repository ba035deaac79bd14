import { join } from 'node:path'
import { packageRoot } from '../../src/contract/load.js'
import { partition } from './partition/run.js'

test('while processes and the engine end, stop and lose their connections, nothing is lost, doubled or stale', async () => {
  const verdict = await partition({ main: join(packageRoot(), 'dist/main.js'), seconds: 20, seed: 1 })
  expect(verdict.faults).toEqual([])
  expect(verdict.writes).toBeGreaterThan(0)
})
