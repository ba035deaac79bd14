const request = require('supertest')
const { createMock } = require('knowledge-chat-mock')
// Jest's expect is a global one: loading the matchers is enough.
require('knowledge-chat-mock/matchers')

// supertest calls the Express app itself, so the mock needs no port. The clock is stopped, so all dates are known.
const mock = createMock({ fixtures: 'empty', now: '2026-03-02T10:00:00Z' })
const api = request(mock.app)
const token = { Authorization: 'Bearer basic' }

// Every test begins with the same rows, and gets the same new identifiers.
beforeEach(() => mock.reset())
// The mock accepts fields outside of the contract, and reports them.
afterEach(() => expect(mock).toHaveNoViolations())

test('a new session is listed, with the time of the clock', async () => {
  const made = await api.post('/api/chat/create-chat-session').set(token).send({ description: 'Plan the offsite' })
  expect(made).toHonourContract()

  const { body } = await api.get('/api/chat/get-user-chat-sessions').set(token).expect(200)
  expect(body.sessions).toMatchObject([
    { id: made.body.chat_session_id, name: 'Plan the offsite', time_created: '2026-03-02T10:00:00.000Z' }
  ])
})

test('a deleted session is gone', async () => {
  const { body } = await api.post('/api/chat/create-chat-session').set(token).send({})
  const path = `/api/chat/delete-chat-session/${body.chat_session_id}`
  expect(await api.delete(path).set(token)).toHonourContract()
  expect(await api.delete(path).set(token).expect(404)).toHonourContract()
})

test('the last used session comes first', async () => {
  const { clock } = mock.sandbox()
  for (const description of ['older', 'newer']) {
    await api.post('/api/chat/create-chat-session').set(token).send({ description }).expect(200)
    clock.advance('1h')
  }
  const { body } = await api.get('/api/chat/get-user-chat-sessions').set(token)
  expect(body.sessions.map(({ name }) => name)).toEqual(['newer', 'older'])
})
