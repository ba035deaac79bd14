import type { TestMock } from '../mock.js'
import { stateOf } from '../state.js'

/** Runs what must not change the mock, which must still answer. */
export async function unchanged<Result>(mock: TestMock, act: () => Promise<Result>): Promise<Result> {
  const before = JSON.stringify(stateOf(mock.sandbox))
  const result = await act()
  expect(JSON.stringify(stateOf(mock.sandbox))).toBe(before)
  const { status, body } = await mock.call('GET', '/api/get-user-role')
  expect([status, body]).toEqual([200, { role: 'admin' }])
  return result
}
