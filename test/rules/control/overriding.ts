import type { NewOverride, OverrideEntry } from '../../../src/engine/contract/types.gen.js'
import type { TestMock } from '../../mock.js'

/** Adds an override to a sandbox, which must accept it. */
export async function override(mock: TestMock, wanted: NewOverride, sandbox = 'default'): Promise<OverrideEntry> {
  const headers = { 'X-Mock-Sandbox': sandbox }
  const { status, body } = await mock.call('POST', '/__mock/overrides', { body: wanted, headers })
  expect([status, body]).toEqual([201, expect.objectContaining({ ...wanted, used: 0 })])
  return body
}

/** The overrides of the default sandbox, newest first. */
export async function overridesOf(mock: TestMock): Promise<OverrideEntry[]> {
  return (await mock.call('GET', '/__mock/overrides')).body.overrides
}
