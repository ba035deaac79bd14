import { join } from 'node:path'
import { packageRoot } from '../../../src/engine/contract/load.js'
import { isSample } from '../../extent.js'
import { rolling } from './rolling.js'

test('no request fails while processes behind HAProxy restart one after another', async () => {
  const { faults, writes } = await rolling(join(packageRoot(), 'dist/main.js'), isSample ? 1 : 3)
  expect(faults).toEqual([])
  expect(writes).toBeGreaterThan(100)
})
