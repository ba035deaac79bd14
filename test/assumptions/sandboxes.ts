import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { seedRows } from '../../fixtures/index.js'
import { createMock } from '../../src/doors/program/mock.js'
import type { Choices } from '../../src/engine/contract/load.js'
import { Edge } from '../../src/engine/keep/edge.js'
import { Clock } from '../../src/engine/sandbox/clock.js'
import { Sandbox } from '../../src/engine/sandbox/sandbox.js'
import { type Answer, type CallOptions, call, testNow } from '../mock.js'
import { createStore, type TestSandbox } from '../stores.js'

/** A separate mock under some choices, and what its responses named in X-Mock-Assumed. */
export interface Opened {
  url: string
  sandbox: TestSandbox
  assumed: Set<string>
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
}

/**
 * One strict mock that listens, in which every set of choices gets its own sandboxes: they all share the rows of
 * the demo, so that hundreds of them cost no more than a few.
 */
export async function startSandboxes(): Promise<(choices: Choices) => Opened> {
  const edge = new Edge()
  const server = createServer(createMock({ strict: true, now: testNow }, { edge }).listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const now = Date.parse(testNow)
  const rows = createStore(seedRows('demo', { seed: 1, scale: 1, now }))
  const base = { key: 'demo', rows }
  let count = 0

  return (choices) => {
    const name = `s${++count}`
    const sandbox = Sandbox.start(
      name,
      { base, rows, fixtures: 'demo', seed: 1, clock: new Clock({ now, speed: 0 }), choices },
      { entries: 10, bytes: 100_000 }
    ) as TestSandbox
    edge.sandboxes.set(name, sandbox)
    const assumed = new Set<string>()
    return {
      url,
      sandbox,
      assumed,
      async call(method, path, options = {}) {
        const headers = { 'X-Mock-Sandbox': name, ...options.headers }
        const answer = await call(url, method, path, { ...options, headers })
        for (const id of idsIn(answer.headers.get('x-mock-assumed'))) assumed.add(id)
        return answer
      }
    }
  }
}

/** The ids in a header X-Mock-Assumed. */
export function idsIn(header: string | null | undefined): string[] {
  return header ? header.split(', ') : []
}
