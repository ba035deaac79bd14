import { isSample } from '../extent.js'
import { type Case, caseOf, kinds } from './case.js'
import { command } from './replay.js'
import type { Report } from './run.js'
import { verdict } from './verdict.js'

const bytesOf = (given: Case) => {
  const made = given.make('here')
  return 'bytes' in made ? made.bytes.toString('base64') : JSON.stringify(made.steps)
}

test.each(Object.keys(kinds))('a case of %s follows from seed and number only', (kind) => {
  const numbers = Array.from({ length: isSample ? 10 : 50 }, (_, number) => number)
  const all = (seed: number, order = numbers) => order.map((number) => bytesOf(caseOf(seed, number, kind)))
  const first = all(1)
  const again = all(1, numbers.toReversed()).reverse()
  expect(again).toEqual(first)
  expect(new Set(first).size).toBeGreaterThan(5)
  expect(all(2)).not.toEqual(first)
})

test('a case can be sent by hand', () => {
  const bytes = Buffer.from("GET /%00 HTTP/1.1\r\nX: '\\\u00ff\r\n\r\n", 'latin1')
  expect(command({ isWrong: true, method: 'GET', bytes })).toBe(
    "{ printf 'GET /%%00 HTTP/1.1\\015\\012X: \\047\\134\\377\\015\\012\\015\\012'; sleep 1; } | nc 127.0.0.1 4010"
  )
})

test('a report ends with the counts of what must not happen', () => {
  const stall = (delay: number, busy: number) => ({ at: 0, delay, busy, collecting: 1, during: '1 json' })
  const memory = (heapUsed: number) => ({ heapUsed, external: 0, rss: 2 ** 28 })
  const good: Report = {
    requests: 1000,
    seconds: 10,
    answers: { json: { 200: 999, 500: 1 } },
    compared: { runs: 2, requests: 600 },
    failures: [],
    stalls: [stall(500, 150)],
    memory: [memory(2 ** 20), memory(2 ** 21)]
  }
  const sumOf = ({ text }: { text: string }) => text.split('\n\n')[1]?.split('\n')
  expect(verdict(good).failed).toBe(false)
  expect(sumOf(verdict(good))).toEqual([
    'requests                                1000 in 10 s, 100 a second',
    '5xx                                     0',
    'crashes                                 0',
    'connections left without answer or end  0',
    'states changed by refused requests      0 (600 in 2 runs compared)',
    'stalls over 200 ms, of its own work     0 (the longest 150 ms)',
    'stalls over 200 ms, by the clock        1 (the longest 500 ms)',
    'memory after the warm-up, collected     1.0 MiB (resident 256.0 MiB)',
    'memory at the end, collected            2.0 MiB (resident 256.0 MiB)'
  ])
  const failure = { seed: 1, number: 7, kind: 'json', what: 'status 500' }
  for (const worse of [
    { failures: [{ of: '5xx', ...failure }] },
    { failures: [{ of: 'crash', ...failure }] },
    { stalls: [stall(300, 201)] },
    { memory: [memory(2 ** 20), memory(2 ** 26)] },
    { memory: [] }
  ] as Partial<Report>[]) {
    expect([worse, verdict({ ...good, ...worse }).failed]).toEqual([worse, true])
  }
})
