import type { Suggestion } from '../../../src/engine/contract/types.gen.js'
import { startTestMock } from '../../mock.js'

const mock = await startTestMock()
beforeEach(() => mock.reset())

/** The suggestions for a request, in the list and in its details. */
async function offered(method: string, path: string, body?: unknown): Promise<Suggestion[]> {
  await mock.call(method, path, body === undefined ? {} : { body })
  const [listed] = (await mock.call('GET', '/__mock/requests?limit=1')).body.requests
  const alone = (await mock.call('GET', `/__mock/requests/${listed.id}`)).body
  expect(alone.suggestions).toEqual(listed.suggestions)
  return listed.suggestions
}

test('an unknown path gets suggestions to override it, serve it, or ask a service for it', async () => {
  const [override, operation, fallback] = await offered('POST', '/api/notes/7/tags?all=true&page=2', { a: 1 })
  expect(override).toMatchObject({ do: 'override', override: { method: 'POST', path: '/api/notes/{note_id}/tags' } })
  expect(operation?.openapi).toMatchObject({
    openapi: '3.1.0',
    paths: {
      '/api/notes/{note_id}/tags': {
        post: {
          operationId: 'postNotesTagsByNoteId',
          parameters: [
            { name: 'note_id', in: 'path', required: true, schema: { type: 'integer' } },
            { name: 'all', in: 'query', schema: { type: 'string' } },
            { name: 'page', in: 'query', schema: { type: 'string' } }
          ],
          requestBody: { content: { 'application/json': expect.anything() } },
          responses: { 200: expect.anything() }
        }
      }
    }
  })
  expect(fallback).toEqual({ do: 'fallback', text: expect.stringContaining('--fallback <url>') })
})

test.each([
  ['GET', '/api/me', '/api/me'],
  ['DELETE', '/api/notes/0b2c7b58-7b4e-4c51-9d0e-6a1f7a9f0a11', '/api/notes/{note_id}'],
  ['GET', '/api/a/1/a/2', '/api/a/{a_id}/a/{a_id_2}'],
  ['GET', '/7', '/{id}'],
  ['GET', '/api/%7B', '/api/%7B'],
  ['PUT', '/api/persona/1', '/api/persona/{persona_id}']
])('the suggested override for %s %s answers it: %s', async (method, path, template) => {
  const [first] = await offered(method, path)
  expect(first?.override?.path).toBe(template)
  expect((await mock.call('POST', '/__mock/overrides', { body: first?.override })).status).toBe(201)
  expect((await mock.call(method, path)).status).toBe(200)
})

test('a wrong method of a documented path gets no suggestion of a service, which would not be asked', async () => {
  expect((await offered('PUT', '/api/persona/1')).map((it) => it.do)).toEqual(['override', 'operation'])
})

test('a request that no override can name gets no suggestion of one', async () => {
  expect((await offered('GET', `/${'x'.repeat(3000)}`)).map((it) => it.do)).toEqual(['fallback'])
})

test('an answered request gets no suggestion', async () => {
  await mock.call('GET', '/api/persona/1')
  const [entry] = (await mock.call('GET', '/__mock/requests?limit=1')).body.requests
  expect(entry).not.toHaveProperty('suggestions')
})
