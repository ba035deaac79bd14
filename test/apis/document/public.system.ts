import { createRequire } from 'node:module'
import { verify } from '../../../src/doors/program/handle/verify.js'
import { startTestMock } from '../../mock.js'

const { resolve } = createRequire(import.meta.url)

/** Documents from different authors, in packages of the registry. */
const documents = [
  '@readme/oas-examples/3.0/json/petstore.json',
  '@readme/oas-examples/3.1/json/petstore.json',
  '@readme/oas-examples/3.0/json/petstore-expanded.json',
  '@readme/oas-examples/3.0/json/star-trek.json',
  '@readme/oas-examples/3.0/json/uspto.json',
  '@readme/oas-examples/3.1/json/train-travel.json',
  '@scalar/galaxy/3.1.yaml',
  '@blockfrost/openapi/openapi.yaml'
]

test.each(documents)('the mock of a public document has no finding of verify: %s', async (name) => {
  const api = resolve(name)
  const mock = await startTestMock({ api, strict: false })
  const { findings, checks, exitCode } = await verify({ url: mock.url, api, mutating: true })
  expect([findings, exitCode]).toEqual([[], 0])
  expect(checks.length).toBeGreaterThan(4)
})

test('a galaxy keeps planets and refuses callers without a sign-in, with nothing but its document', async () => {
  const mock = await startTestMock({ api: resolve('@scalar/galaxy/3.1.yaml') })
  const made = await mock.call('POST', '/planets', { body: { name: 'Vulcan' } })
  expect([made.status, made.body.name]).toEqual([201, 'Vulcan'])
  expect((await mock.call('GET', `/planets/${made.body.id}`, { as: null })).body.name).toBe('Vulcan')
  const changed = await mock.call('PUT', `/planets/${made.body.id}`, { body: { name: 'T’Khasi' } })
  expect(changed.body.name).toBe('T’Khasi')
  expect((await mock.call('DELETE', `/planets/${made.body.id}`)).status).toBe(204)
  expect((await mock.call('GET', `/planets/${made.body.id}`)).status).toBe(404)
  expect((await mock.call('POST', '/planets', { as: null, body: { name: 'Romulus' } })).status).toBe(403)
})
