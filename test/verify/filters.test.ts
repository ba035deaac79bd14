import { verify } from '../../src/doors/program/handle/verify.js'
import { plant } from '../apis/document/faults.js'
import { documentOf, gives, integer, listOf, objectOf, takes } from '../apis/document/shop.js'
import { startTestMock } from '../mock.js'

const boolean = { type: 'boolean' }
const lamp = objectOf({ id: { ...integer, readOnly: true }, on: boolean }, ['id', 'on'])
const form = objectOf({ on: boolean }, ['on'])

/** A document of lamps, with these parameters of their list. */
const lampsWith = (...schemas: object[]) =>
  documentOf({
    '/lamps': {
      get: { parameters: schemas.map((schema) => ({ name: 'on', in: 'query', schema })), ...gives(listOf(lamp)) },
      post: takes(form, lamp)
    },
    '/lamps/{id}': { get: gives(lamp), delete: { responses: { 204: { description: 'gone' } } } }
  })
const documented = lampsWith({ ...boolean, default: false })

/** What verify finds of a service with some lamps, on or off, that follows another document. */
async function findingsOf(service: object, lamps: boolean[], mutating: boolean) {
  const mock = await startTestMock({ api: service, fixtures: 'empty' })
  for (const on of lamps) await mock.call('POST', '/lamps', { body: { on } })
  const { url, close } = await plant(mock.url, (call, next) => next(call))
  const { findings } = await verify({ api: documented, url, token: 'admin', userToken: 'user', mutating })
  await close()
  return findings.map(({ operation, check }) => `${operation} ${check}`)
}

test.each([false, true])(
  'a boolean filter with a default is no finding if the service follows its document, mutating %s',
  async (mutating) => {
    expect(await findingsOf(documented, [true, false, false], mutating)).toEqual([])
  }
)

test.each([
  ['filter', 'rows of one value', lampsWith(), [false, false], false],
  ['filter', 'rows of both values', lampsWith(), [false, true], false],
  ['filter', 'no row', lampsWith(), [], true],
  ['default', 'rows of both values', lampsWith(boolean), [false, true], false]
])(
  'a boolean filter with a default that is ignored as a %s is found with %s',
  async (_, _rows, service, lamps, mutating) => {
    expect(await findingsOf(service, lamps, mutating)).toEqual(['getLamps filter_respected'])
  }
)
