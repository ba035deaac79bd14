import { expect, test } from 'vitest'
import { sandbox } from './sandbox.js'

const { call, control } = sandbox('agents')

test('a session can be created with an agent, in this sandbox only', async () => {
  await expect(await call('POST', '/api/chat/create-chat-session', { persona_id: 0 })).toHonourContract()
  const { sessions } = await (await call('GET', '/api/chat/get-user-chat-sessions')).json()
  expect(sessions).toHaveLength(1)
})

test('an agent is changed only in the fields that are sent', async () => {
  const { rows } = await control('GET', '/state/personas')
  const response = await call('PATCH', `/api/persona/${rows[0].id}`, { name: 'Ada' }, 'admin')
  await expect(response).toHonourContract('updatePersona')
  expect(await response.json()).toMatchObject({ name: 'Ada', description: rows[0].description })
})
