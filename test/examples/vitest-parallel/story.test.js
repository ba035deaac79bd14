import { createMock } from 'knowledge-chat-mock'
import { expect, inject, test } from 'vitest'
import { story, told } from '../story.mjs'

test('the ten steps over a port', async () => {
  expect(await story(fetch, inject('mockUrl'))).toEqual(told)
})

test('the ten steps in process', async () => {
  const mock = createMock({ fixtures: 'demo' })
  expect(await story(mock.fetch, 'http://mock')).toEqual(told)
  await mock.close()
})
