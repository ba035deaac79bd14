import type { ServerOptions } from '../../src/doors/options/table.js'
import { type OpenServer, startMock } from '../../src/doors/program/server.js'
import { testNow } from '../mock.js'
import { type RealEngine, token } from './engine.js'

const running = new Set<OpenServer>()
afterAll(async () => {
  for (const mock of running) await mock.close()
})

/** A mock in this process, together with others on the same engine. Closed after the tests of the file. */
export async function join(engine: RealEngine, options: ServerOptions = {}): Promise<OpenServer> {
  const mock = await startMock({
    port: 0,
    data: engine.url,
    fixtures: 'empty',
    now: testNow,
    controlToken: token,
    // Tests share the process, which may be busy for long.
    lease: 60_000,
    onProblem: () => {},
    ...options
  })
  running.add(mock)
  return mock
}

/** Hands over what it has, and stops. */
export async function leave(mock: OpenServer): Promise<void> {
  running.delete(mock)
  await mock.close()
}
