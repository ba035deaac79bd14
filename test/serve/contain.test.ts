import { contain } from '../../src/engine/serve/message/contain.js'

test('a callback whose result is not awaited may return anything, and its error is reported, now or later', async () => {
  const failed: string[] = []
  const fail = ({ message }: Error) => void failed.push(message)
  for (const done of [undefined, 3, 'text', { catch: 1 }, Promise.resolve()]) contain(fail, () => done)
  contain(fail, () => {
    throw new Error('now')
  })
  contain(fail, () => Promise.reject(new Error('later')))
  await new Promise((resolve) => setImmediate(resolve))
  expect(failed).toEqual(['now', 'later'])
})
