const http = require('node:http')
const { createMock, startMock } = require('knowledge-chat-mock')
require('knowledge-chat-mock/matchers')

const origin = 'http://localhost:4010'
const now = '2026-03-02T10:00:00.000Z'
const mock = createMock({ fixtures: 'empty', now })
afterAll(() => mock.close())

/** Calls the mock as its user `admin`. Everything but a form is sent as JSON. */
async function call(method, path, body, headers = {}) {
  const isForm = typeof body?.append === 'function'
  const response = await mock.fetch(`${origin}${path}`, {
    method,
    headers: {
      Authorization: 'Bearer admin',
      ...(body && !isForm && { 'Content-Type': 'application/json' }),
      ...headers
    },
    body: isForm || body === undefined ? body : JSON.stringify(body)
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** In jest-fixed-jsdom File is jsdom's but FormData is node's. In happy-dom a Blob loses its name. */
function fileOf(text) {
  return File.prototype instanceof Blob ? new File([text], 'handbook.md') : new Blob([text])
}

const create = (description, headers) => call('POST', '/api/chat/create-chat-session', { description }, headers)
const list = async (headers) => {
  const { body } = await call('GET', '/api/chat/get-user-chat-sessions', undefined, headers)
  return body.sessions.map(({ name }) => name)
}

test('a front end that is tested without a port goes through the ten steps', async () => {
  const box = mock.sandbox()
  // List, create.
  expect(await list()).toEqual([])
  const { status, body } = await create('Plan the offsite')
  expect([status, await list()]).toEqual([200, ['Plan the offsite']])

  // A wrong request is refused.
  const refused = await call('POST', '/api/chat/create-chat-session', { persona_id: 'none' })
  expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['body', 'persona_id']])

  // Upload.
  const form = new FormData()
  form.append('files', fileOf('# Handbook\n'), 'handbook.md')
  const upload = await call('POST', '/api/manage/admin/connector/file/upload', form)
  expect([upload.status, upload.body.file_names]).toEqual([200, ['handbook.md']])

  // Clock.
  box.clock.advance('1h')
  await create('Later')
  expect(
    box
      .rows('chatSessions')
      .map(({ time_created }) => time_created)
      .sort()
  ).toEqual([now, '2026-03-02T11:00:00.000Z'])

  // Override.
  box.override({ operation: 'createChatSession', status: 503, delay: { type: 'fixed', milliseconds: 5 }, times: 1 })
  expect((await create('In vain')).status).toBe(503)

  // Snapshot, restore.
  box.snapshot('two')
  await create('Too much')
  box.restore('two')
  expect(await list()).toEqual(['Later', 'Plan the offsite'])

  // Journal.
  expect(box.requests({ status: '422' }).map(({ operation }) => operation)).toEqual(['createChatSession'])

  // Two sandboxes.
  const other = mock.sandbox('other')
  await create('Elsewhere', other.headers)
  expect([await list(other.headers), await list()]).toEqual([['Elsewhere'], ['Later', 'Plan the offsite']])
  expect(body.chat_session_id).toEqual(expect.any(String))
  // One request was wrong on purpose.
  expect(mock).toHaveNoViolations({ refused: 'allowed' })
})

test('a mock on a port receives a form, and ends', async () => {
  const running = await startMock({ port: 0, fixtures: 'empty' })
  const headers = { Authorization: 'Bearer admin', 'Content-Type': 'multipart/form-data; boundary=x' }
  const status = await new Promise((resolve, reject) => {
    http
      .request(`${running.url}/api/manage/admin/connector/file/upload`, { method: 'POST', headers })
      .on('response', (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end('--x\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n# A\r\n--x--\r\n')
  })
  await running.close()
  expect(status).toBe(200)
})

test('a test may replace its timers', async () => {
  jest.useFakeTimers()
  const { body } = await call('GET', '/api/get-user-role', undefined, { Prefer: 'delay=5' })
  jest.useRealTimers()
  expect(body).toEqual({ role: 'admin' })
})
