import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, json, listOf, named, objectOf, takes, text } from './shop.js'

const entry = { Entry: objectOf({ title: text, level: integer }, ['title']) }
const noBody = { responses: { 204: { description: 'done' } } }
const listed = async (post: object, body: object) => {
  const paths = { '/entries': { get: gives(objectOf({ items: listOf(named('Entry')) }, ['items'])), post } }
  const { call } = await startTestMock({ api: documentOf(paths, entry) })
  const { status } = await call('POST', '/entries', { body })
  return [status, (await call('GET', '/entries')).body.items.some(({ title }: { title: string }) => title === 'New')]
}

test.each([
  ['no body', { requestBody: json(named('Entry')), ...noBody }, 204],
  ['another body', takes(named('Entry'), objectOf({ accepted: { type: 'boolean' } })), 201],
  ['the row', takes(objectOf({ title: text, source: text }), named('Entry')), 201]
])('a list without a path of one row shows a row of a POST that answers with %s', async (_, post, status) => {
  expect(await listed(post, { title: 'New' })).toEqual([status, true])
})

test.each([
  ['the hits of a search', takes(objectOf({ title: text }), objectOf({ hits: listOf(named('Entry')) }), 200)],
  ['a count, and takes something else', takes(objectOf({ title: text, q: text }), objectOf({ count: integer }), 200)]
])('a POST that answers with %s makes no row', async (_, post) => {
  expect(await listed(post, { title: 'New' })).toEqual([200, false])
})
