import { followLive } from '../../src/tools/record/live.js'
import type { Traffic } from '../../src/tools/record/traffic.js'

const exchange = (target: string): Traffic => ({
  method: 'GET',
  target,
  headers: {},
  body: '',
  status: 200,
  text: '',
  time: 0
})

test('exchanges are followed in their order, also while others are, and one that cannot be is reported once', async () => {
  const followed: string[] = []
  const failed: string[] = []
  const live = followLive({
    quiet: 60_000,
    longest: 60_000,
    follow({ target }) {
      if (target.startsWith('/bad')) throw new Error('no rows')
      followed.push(target)
      if (target === '/1') live.add(exchange('/later'), [])
    },
    rest: () => void followed.push('rest'),
    fail: ({ message }) => void failed.push(message)
  })
  for (const it of ['/bad/1', '/1', '/bad/2', '/2']) live.add(exchange(it), [])
  expect(followed).toEqual([])
  await live.close()
  expect(followed).toEqual(['/1', '/2', '/later', 'rest'])
  expect(failed).toEqual(['no rows'])
})

test('exchanges are followed after a quiet time that had none', async () => {
  const followed: string[] = []
  const follow = ({ target }: Traffic) => void followed.push(target)
  const live = followLive({ quiet: 60_000, longest: 60_000, follow, fail() {} })
  await live.close()
  live.add(exchange('/1'), [])
  await live.close()
  expect(followed).toEqual(['/1'])
})

test('exchanges do not wait for a quiet time if there are many, or large ones', async () => {
  const run = async (all: Traffic[]) => {
    let count = 0
    let done = () => {}
    const end = new Promise<void>((resolve) => (done = resolve))
    const live = followLive({
      quiet: 60_000,
      longest: 60_000,
      follow: () => void (++count === all.length && done()),
      fail: () => {}
    })
    for (const it of all) live.add(it, [])
    await end
    await live.close()
    return count
  }
  expect(await run(Array.from({ length: 2000 }, (_, at) => exchange(`/${at}`)))).toBe(2000)
  expect(await run([{ ...exchange('/large'), text: 'x'.repeat(32 * 1024 * 1024) }])).toBe(1)
})
