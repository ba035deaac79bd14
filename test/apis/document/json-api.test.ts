import { verify } from '../../../src/doors/program/handle/verify.js'
import { startTestMock } from '../../mock.js'
import { documentOf, integer, listOf, named, objectOf, text } from './shop.js'

const type = (name: string) => ({ const: name })
const reference = (name: string) =>
  objectOf({ data: objectOf({ type: type(name), id: text }, ['type', 'id']) }, ['data'])
const resource = (name: string, attributes: object, relationships?: object) =>
  objectOf({ type: type(name), id: text, attributes, ...(relationships && { relationships }) }, [
    'type',
    'attributes',
    ...(relationships ? ['relationships'] : [])
  ])
const attributes = objectOf({ title: text, words: integer }, ['title', 'words'])
const article = resource('articles', attributes, objectOf({ author: reference('people') }, ['author']))
const person = resource('people', objectOf({ name: text }, ['name']))
const media = (schema: object) => ({ content: { 'application/vnd.api+json': { schema } } })
const gives = (schema: object, status = 200) => ({ responses: { [status]: { description: 'ok', ...media(schema) } } })
const one = (name: string) => objectOf({ data: named(name), included: listOf({ type: 'object' }) }, ['data'])
const many = (name: string) => objectOf({ data: listOf(named(name)), included: listOf({ type: 'object' }) }, ['data'])
const query = (...names: string[]) => names.map((name) => ({ name, in: 'query', schema: text }))
const change = objectOf(
  {
    data: objectOf({ type: type('articles'), id: text, attributes: objectOf({ title: text, words: integer }) }, [
      'type'
    ])
  },
  ['data']
)
const api = documentOf(
  {
    '/articles': {
      get: { parameters: query('sort', 'include', 'filter[title]'), ...gives(many('Article')) },
      post: { requestBody: media(objectOf({ data: named('Article') }, ['data'])), ...gives(one('Article'), 201) }
    },
    '/articles/{id}': {
      get: { parameters: query('include'), ...gives(one('Article')) },
      patch: { requestBody: media(change), ...gives(one('Article')) },
      delete: { responses: { 204: { description: 'gone' } } }
    },
    '/people': { get: gives(many('Person')) },
    '/people/{id}': { get: gives(one('Person')) }
  },
  { Article: article, Person: person }
)

const started = async () => {
  const mock = await startTestMock({ api })
  const headers = { 'Content-Type': 'application/vnd.api+json' }
  const get = async (path: string) => (await mock.call('GET', path)).body
  const add = async (title: string, words: number, author = 'people-2') => {
    const relationships = { author: { data: { type: 'people', id: author } } }
    const data = { type: 'articles', attributes: { title, words }, relationships }
    return (await mock.call('POST', '/articles', { headers, body: JSON.stringify({ data }) })).body.data
  }
  return { mock, headers, get, add }
}

test('JSON:API lists sort by attributes, several at a time, and filter by them', async () => {
  const { get, add } = await started()
  for (const [title, words] of [
    ['b', -2],
    ['a', -1],
    ['c', -2]
  ] as const)
    await add(title, words)
  const titles = async (sort: string) => {
    const { data } = await get(`/articles?sort=${sort}`)
    return data.slice(0, 3).map((it: { attributes: { title: string } }) => it.attributes.title)
  }
  expect(await titles('words,title')).toEqual(['b', 'c', 'a'])
  expect(await titles('words,-title')).toEqual(['c', 'b', 'a'])
  const { data } = await get('/articles?filter[title]=a')
  expect(data.map((it: { attributes: object }) => it.attributes)).toEqual([{ title: 'a', words: -1 }])
  expect((await get('/__mock/collections')).not_understood).toEqual([])
})

test('include adds the rows that relationships name, each once, and nothing without it', async () => {
  const { get, add } = await started()
  const { id } = await add('a', 1)
  const ann = (await get('/people/people-2')).data
  expect((await get(`/articles/${id}?include=author`)).included).toEqual([ann])
  expect((await get(`/articles/${id}`)).included).toEqual([])
  const { data, included } = await get('/articles?include=author')
  const named = new Set(
    data.map((it: { relationships: { author: { data: { id: string } } } }) => it.relationships.author.data.id)
  )
  expect(included.map((it: { id: string }) => it.id).sort()).toEqual([...named].sort())
})

test('a PATCH of one attribute keeps the others, and verify has no finding', async () => {
  const { mock, headers, get, add } = await started()
  const { id } = await add('a', 7)
  const data = { type: 'articles', id, attributes: { title: 'b' } }
  await mock.call('PATCH', `/articles/${id}`, { headers, body: JSON.stringify({ data }) })
  expect((await get(`/articles/${id}`)).data.attributes).toEqual({ title: 'b', words: 7 })
  const { findings, exitCode } = await verify({ url: mock.url, api, mutating: true })
  expect([findings, exitCode]).toEqual([[], 0])
})
