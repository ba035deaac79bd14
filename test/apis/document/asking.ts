import type { MockOptions } from '../../../src/index.js'
import { startTestMock } from '../../mock.js'

/** A mock of a document, whose answers name the assumptions that they rest on. */
export async function startAsking(api: MockOptions['api'], assume: Record<string, string> = {}) {
  const mock = await startTestMock({ api, assume })
  const call = async (method: string, path: string, options: object = {}) => {
    const { status, headers, body } = await mock.call(method, path, options)
    return {
      status,
      body,
      assumed: headers.get('x-mock-assumed')?.split(', ') ?? [],
      location: headers.get('location')
    }
  }
  return { mock, call }
}
