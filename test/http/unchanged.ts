import type { TestMock } from '../mock.js'

/** What must leave the mock as it was, and answering. */
export async function unchanged<Result>(mock: TestMock, act: () => Promise<Result>): Promise<Result> {
  const before = JSON.stringify(mock.sandbox.save())
  const result = await act()
  expect(JSON.stringify(mock.sandbox.save())).toBe(before)
  const { status, body } = await mock.call('GET', '/api/get-user-role')
  expect([status, body]).toEqual([200, { role: 'admin' }])
  return result
}
