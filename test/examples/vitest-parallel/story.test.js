import { createMock } from 'knowledge-chat-mock'
import { expect, inject, test } from 'vitest'
import { expected, story } from '../story.mjs'

test('the ten steps over a port', async () => {
  expect(await story(fetch, inject('mockUrl'))).toEqual(expected)
})

test('the ten steps in process', async () => {
  const mock = createMock({ fixtures: 'demo' })
  expect(await story(mock.fetch, 'http://mock')).toEqual(expected)
  await mock.close()
})
