import { startTestMock, type TestMock } from '../mock.js'

const json = (media: object) => ({ 200: { description: 'ok', content: { 'application/json': media } } })
const name = { type: 'object', properties: { name: { type: 'string' } } }
const document = {
  openapi: '3.1.0',
  info: { title: 'Sources', version: '1' },
  'x-mock-collections': { notes: { schema: '#/components/schemas/Note' } },
  paths: {
    '/api/notes': {
      get: {
        operationId: 'listNotes',
        'x-mock': { collection: 'notes' },
        responses: json({ schema: { type: 'array', items: { $ref: '#/components/schemas/Note' } } })
      }
    },
    '/api/example': { get: { operationId: 'example', responses: json({ schema: name, example: { name: 'One' } }) } },
    '/api/invented': { get: { operationId: 'invented', responses: json({ schema: name }) } }
  },
  components: {
    schemas: { Note: { type: 'object', properties: { id: { type: 'integer' }, title: { type: 'string' } } } }
  }
}

let mock: TestMock
beforeAll(async () => {
  mock = await startTestMock({ with: [document] })
})

const sourceOf = async (...call: Parameters<TestMock['call']>) =>
  (await mock.call(...call)).headers.get('x-mock-source')

test.each<[string, ...Parameters<TestMock['call']>]>([
  ['rule', 'GET', '/api/persona/1'],
  ['rule', 'GET', '/api/persona/999999'],
  ['collection', 'GET', '/api/notes'],
  ['example', 'GET', '/api/example'],
  ['invented', 'GET', '/api/invented'],
  ['override', 'GET', '/api/persona/1', { headers: { Prefer: 'code=404' } }],
  ['rule', 'GET', '/api/persona/1', { headers: { Prefer: 'delay=1' } }],
  ['page', 'GET', '/openapi.json'],
  ['refusal', 'GET', '/'],
  ['refusal', 'GET', '/__mock'],
  ['control', 'GET', '/__mock/health'],
  ['control', 'GET', '/__mock/state/nothing'],
  ['refusal', 'GET', '/api/nothing'],
  ['refusal', 'DELETE', '/api/persona/1', { as: null }],
  ['refusal', 'PATCH', '/api/persona/1', { body: { num_chunks: 'many' } }],
  ['refusal', 'PUT', '/api/persona/1']
])('an answer from %s names its source: %s %s', async (source, ...call) => {
  expect(await sourceOf(...call)).toBe(source)
})

test('the journal finds answers by their source', async () => {
  await mock.call('POST', '/__mock/reset')
  for (const path of ['/api/invented', '/api/example', '/api/invented']) await mock.call('GET', path)
  const found = await mock.call('GET', '/__mock/requests?source=invented')
  expect(found.body.requests.map(({ url, source }: { url: string; source: string }) => [url, source])).toEqual([
    ['/api/invented', 'invented'],
    ['/api/invented', 'invented']
  ])
  expect((await mock.call('GET', '/__mock/requests?source=nobody')).status).toBe(400)
})
