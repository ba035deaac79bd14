import { startTestMock } from '../../mock.js'

const mock = await startTestMock()
beforeEach(() => mock.reset())

interface NearMiss {
  operation: string
  method: string
  path: string
  distance: number
  difference: string
}

/** The near misses of a request, in the list and in its details. */
async function near(method: string, path: string): Promise<NearMiss[]> {
  await mock.call(method, path)
  const [listed] = (await mock.call('GET', '/__mock/requests?limit=1')).body.requests
  const alone = (await mock.call('GET', `/__mock/requests/${listed.id}`)).body
  expect(alone.near_misses).toEqual(listed.near_misses)
  return listed.near_misses
}

test.each([
  ['GET', '/api/personas/1', 'getPersona', '"personas" should be "persona"'],
  ['GET', '/api/Persona/1', 'getPersona', '"Persona" should be "persona"'],
  ['GET', '/persona/1', 'getPersona', '"api" is missing'],
  ['GET', '/api/v1/persona/1', 'getPersona', '"v1" is not needed'],
  ['GET', '/api/persona', 'getPersona', '"{persona_id}" is missing'],
  ['GET', '/api/user-role', 'getUserRole', '"user-role" should be "get-user-role"'],
  ['GET', '/api/chat/serach?query=a', 'searchChats', '"serach" should be "search"'],
  ['GET', '/api/user/projects/7/detail', 'getProjectDetails', '"detail" should be "details"'],
  ['POST', '/api/user/project/7/file/0b2c', 'linkFile', '"project" should be "projects"; "file" should be "files"'],
  ['PUT', '/api/manage/admin/user', 'inviteUsers', '"user" should be "users"'],
  ['POST', '/api/manage/credentials', 'createCredential', '"credentials" should be "credential"']
])('%s %s is nearest to %s: %s', async (method, path, operation, difference) => {
  const [first] = await near(method, path)
  expect(first).toMatchObject({ operation, method, difference })
  expect(first?.distance).toBeGreaterThan(0)
})

test('a wrong method is near to each method of the path', async () => {
  expect(await near('PUT', '/api/persona/1')).toEqual(
    ['GET', 'PATCH', 'DELETE'].map((method) =>
      expect.objectContaining({
        method,
        path: '/api/persona/{persona_id}',
        difference: `the method is ${method}, not PUT`
      })
    )
  )
})

test('at most three near misses are listed, the nearest first', async () => {
  for (const path of ['/api/persona/1/x', '/api/manage/connector/1/credentials/2', '/api/user/projects/file']) {
    const misses = await near('GET', path)
    expect(misses.length).toBeLessThanOrEqual(3)
    const distances = misses.map(({ distance }) => distance)
    expect(distances).toEqual([...distances].sort((a, b) => a - b))
  }
})

test('a path that resembles no other has no near misses', async () => {
  expect(await near('GET', '/favicon.ico')).toEqual([])
  expect(await near('GET', `/${'x/'.repeat(1000)}`)).toEqual([])
  expect(await near('GET', `/api/${'y'.repeat(8000)}/1/2`)).toEqual([])
})

test('a request that fails its checks is near to its own operation, with the reason', async () => {
  await mock.call('POST', '/api/chat/create-chat-session', { body: { persona_id: 'first' } })
  const { body } = await mock.call('GET', '/__mock/requests/r1')
  expect(body.near_misses).toEqual([
    {
      operation: 'createChatSession',
      method: 'POST',
      path: '/api/chat/create-chat-session',
      distance: expect.any(Number),
      difference: 'body.persona_id: Input should be a valid integer'
    }
  ])
  await mock.call('POST', '/api/chat/create-chat-session', { body: { persona_id: 'first', project_id: 'second' } })
  const worse = (await mock.call('GET', '/__mock/requests/r2')).body.near_misses[0]
  expect(worse.distance).toBeGreaterThan(body.near_misses[0].distance)
})

test('a request that is correct, or refused by its rule, has none', async () => {
  await mock.call('GET', '/api/persona/1')
  await mock.call('GET', '/api/persona/999')
  for (const id of ['r1', 'r2']) {
    expect((await mock.call('GET', `/__mock/requests/${id}`)).body).not.toHaveProperty('near_misses')
  }
})
