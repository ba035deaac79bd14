import { type Case, caseOf, kinds } from './case.js'
import { command } from './replay.js'
import { fuzz } from './run.js'

const bytesOf = (given: Case) => {
  const made = given.make('here')
  return 'bytes' in made ? made.bytes.toString('base64') : JSON.stringify(made.steps)
}

test.each(Object.keys(kinds))('a case of %s follows from seed and number alone', (kind) => {
  const first = Array.from({ length: 50 }, (_, number) => bytesOf(caseOf(1, number, kind)))
  const again = Array.from({ length: 50 }, (_, number) => bytesOf(caseOf(1, 49 - number, kind))).reverse()
  expect(again).toEqual(first)
  expect(new Set(first).size).toBeGreaterThan(5)
  expect(Array.from({ length: 50 }, (_, number) => bytesOf(caseOf(2, number, kind)))).not.toEqual(first)
})

test('a case can be sent by hand', () => {
  const bytes = Buffer.from("GET /%00 HTTP/1.1\r\nX: '\\\u00ff\r\n\r\n", 'latin1')
  expect(command({ isWrong: true, method: 'GET', bytes })).toBe(
    "{ printf 'GET /%%00 HTTP/1.1\\015\\012X: \\047\\134\\377\\015\\012\\015\\012'; sleep 1; } | nc 127.0.0.1 4010"
  )
})

test('hostile requests of every kind get no 5xx, end no process, and change nothing where they are refused', async () => {
  const { failures, requests, compared, answers, memory } = await fuzz({ seed: 1, requests: 2000 })
  expect(failures).toEqual([])
  expect([requests, memory.length]).toEqual([2000, 2])
  expect(Object.keys(answers).sort()).toEqual(Object.keys(kinds).sort())
  expect(compared.requests).toBeGreaterThan(500)
})
