import { type Schema, Validator } from '@cfworker/json-schema'
import { createMock } from '../../src/doors/program/mock.js'
import { manyPaths } from './many.mjs'

test('every GET without path parameters in a document with 200 paths answers 200, with what its schema allows', async () => {
  const document = manyPaths()
  const mock = createMock({ with: [document] })
  expect(Object.keys(document.paths).length).toBeGreaterThanOrEqual(200)
  const gets = Object.entries(document.paths).filter(([path, item]) => item.get && !path.includes('{'))
  expect(gets.length).toBeGreaterThanOrEqual(150)
  for (const [path, { get }] of gets) {
    const response = await mock.fetch(`http://mock${path}`)
    const { schema } = get.responses[200].content['application/json']
    const validator = new Validator({ ...schema, components: document.components } as Schema, '2020-12')
    const { valid, errors } = validator.validate(await response.json())
    expect([path, response.status, valid, errors]).toEqual([path, 200, true, []])
    expect(response.headers.get('x-mock-violations')).toBeNull()
  }
  await mock.close()
})
