import { afterEach, beforeEach, expect, inject } from 'vitest'

/**
 * A client of the mock in a sandbox that no other file sees. Before each test it goes back to the start,
 * after each test nothing that was sent may have broken the contract.
 */
export function sandbox(name) {
  const call = (method, path, body, user = 'basic') =>
    fetch(inject('mockUrl') + path, {
      method,
      headers: { Authorization: `Bearer ${user}~${name}`, 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body)
    })
  const control = async (method, path, body) => (await call(method, `/__mock${path}`, body)).json()

  beforeEach(() => control('POST', '/reset', {}))
  afterEach(async () => expect(await control('GET', '/requests')).toHaveNoViolations())
  return { call, control }
}
