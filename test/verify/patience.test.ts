import { Patience } from '../../src/tools/verify/calls/patience.js'
import { findingOf } from '../../src/tools/verify/results.js'

/** A clock that only sleeping moves. */
function clock() {
  let now = Date.parse('2026-03-02T10:00:00Z')
  return {
    now: () => now,
    sleep: async (milliseconds: number) => {
      const until = now + milliseconds
      await Promise.resolve()
      now = Math.max(now, until)
    }
  }
}

const limited = (after?: string) => ({ status: 429, headers: { 'retry-after': after } })
const good = { status: 200, headers: {} }

test.each([
  ['seconds', '7', 7000],
  ['a date', 'Mon, 02 Mar 2026 10:00:09 GMT', 9000],
  ['nothing', undefined, 250]
])('it waits as Retry-After says: %s', async (_, after, waited) => {
  const replies = [limited(after), good]
  const patience = new Patience(60_000, clock())
  expect(await patience.send(async () => replies.shift() ?? good)).toBe(good)
  expect([patience.times, patience.waited]).toEqual([1, waited])
})

test('concurrent requests wait once, and are then sent one after the other', async () => {
  const patience = new Patience(60_000, clock())
  let running = 0
  let most = 0
  const told = new Set<number>()
  const ask = (id: number) => async () => {
    most = Math.max(most, ++running)
    await Promise.resolve()
    running--
    if (told.has(id)) return good
    told.add(id)
    return limited('5')
  }
  await Promise.all([1, 2, 3].map((id) => patience.send(ask(id))))
  expect([patience.waited, most]).toEqual([5000, 3])
  most = 0
  await Promise.all([1, 2, 3].map((id) => patience.send(ask(id))))
  expect(most).toBe(1)
})

test('a request is given up after waits of a minute in all, and later ones at once', async () => {
  const patience = new Patience(60_000, clock())
  let sent = 0
  const ask = async () => {
    sent++
    return limited('25')
  }
  await expect(patience.send(ask)).rejects.toThrow('the server limits the rate of requests (429)')
  expect([sent, patience.waited]).toEqual([3, 50_000])
  await expect(patience.send(ask)).rejects.toThrow('(429)')
  expect(sent).toBe(4)
})

test('a 503 without Retry-After is returned at once', async () => {
  const failed = { status: 503, headers: {} }
  expect(await new Patience().send(async () => failed)).toBe(failed)
})

test.each(['operation', 'title', 'expected', 'got', 'curl'])('a finding without %s is refused', (name) => {
  const whole = {
    operation: 'E1',
    check: 'unique_rows' as const,
    title: 't',
    expected: 'e',
    got: 'g',
    curl: 'c',
    sequence: ['c']
  }
  expect(findingOf(whole)).toEqual({ ...whole, more: 0 })
  expect(() => findingOf({ ...whole, [name]: ' ' })).toThrow(`has no ${name}`)
  expect(() => findingOf({ ...whole, expected: 'the shape of the contract, but: ' })).toThrow('has no reason')
})
