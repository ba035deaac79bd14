import { expect, test } from 'vitest'
import { sandbox } from './sandbox.js'

const { call, control } = sandbox('sessions')

test('a new session is the only one, whatever other files do', async () => {
  const made = await call('POST', '/api/chat/create-chat-session', { description: 'Plan' })
  await expect(made).toHonourContract()
  const { sessions } = await (await call('GET', '/api/chat/get-user-chat-sessions')).json()
  expect(sessions.map(({ name }) => name)).toEqual(['Plan'])
})

test('the same calls get the same identifiers again', async () => {
  const ids = []
  for (const _ of [1, 2]) {
    await control('POST', '/reset', {})
    ids.push((await (await call('POST', '/api/chat/create-chat-session', {})).json()).chat_session_id)
  }
  expect(ids[0]).toBe(ids[1])
})
