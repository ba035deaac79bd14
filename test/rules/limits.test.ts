import { startTestMock } from '../mock.js'

const path = '/api/admin/token-rate-limits/rate-limit'

const mock = await startTestMock()
const observed = await startTestMock({ assume: { 'errors.missing': 'per-operation' } })

test('E30 deletes limits of every scope, one at a time', async () => {
  const { tokenRateLimits } = mock.sandbox.rows
  const limits = [...tokenRateLimits.all()]
  expect(new Set(limits.map((it) => it.scope))).toEqual(new Set(['user', 'user_group', 'global']))
  for (const [i, { id }] of limits.entries()) {
    const { status, text } = await mock.call('DELETE', `${path}/${id}`)
    expect([status, text]).toEqual([200, 'null'])
    expect([...tokenRateLimits.all()]).toEqual(limits.slice(i + 1))
  }
})

test('an unknown limit is refused', async () => {
  const { status, body, headers } = await mock.call('DELETE', `${path}/404`)
  expect([status, body]).toEqual([404, { detail: 'Token rate limit 404 not found' }])
  expect(headers.get('x-mock-assumed')).toContain('errors.missing')
})

test('an unknown limit is refused as observed under the choice per-operation of errors.missing', async () => {
  const { status, body } = await observed.call('DELETE', `${path}/404`)
  expect([status, body]).toEqual([400, { message: "TokenRateLimit with id '404' not found" }])
})

test.each(['curator', 'basic'])('a user of the role %s may not delete a limit', async (as) => {
  const before = observed.sandbox.rows.tokenRateLimits.size
  expect((await observed.call('DELETE', `${path}/1`, { as })).status).toBe(403)
  expect(observed.sandbox.rows.tokenRateLimits.size).toBe(before)
})
