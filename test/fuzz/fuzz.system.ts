import { isSample } from '../extent.js'
import { kinds } from './case.js'
import { fuzz } from './run.js'

test('hostile requests of every kind get no 5xx, end no process, and change nothing if they are refused', async () => {
  const count = isSample ? 800 : 2000
  const { failures, requests, compared, answers, memory } = await fuzz({ seed: 1, requests: count })
  expect(failures).toEqual([])
  expect([requests, memory.length]).toEqual([count, 2])
  expect(Object.keys(answers).sort()).toEqual(Object.keys(kinds).sort())
  expect(compared.requests).toBeGreaterThan(isSample ? 50 : 300)
})
