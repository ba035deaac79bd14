import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../src/engine/contract/load.js'
import { startTestMock } from '../../mock.js'

const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))

test('health shows what is served, and which run of the mock serves it', async () => {
  const mocks = [await startTestMock(), await startTestMock({ seed: 2 })]
  const [one, again, two] = await Promise.all(
    [mocks[0], mocks[0], mocks[1]].map(async (mock) => (await mock?.call('GET', '/__mock/health', { as: null }))?.body)
  )
  expect(one).toEqual({
    status: 'ok',
    version,
    contract: { version: expect.any(String), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    instance: expect.stringMatching(/^[0-9a-f-]{36}$/)
  })
  expect(again).toEqual(one)
  expect({ ...two, instance: one.instance }).toEqual(one)
  expect(two.instance).not.toBe(one.instance)
})

test('the OpenAPI document has the platform, and the control API on request', async () => {
  const mock = await startTestMock()
  const pathsOf = async (query: string) =>
    Object.keys((await mock.call('GET', `/__mock/openapi.json${query}`, { as: null })).body.paths)
  const platform = await pathsOf('')
  expect(platform.filter((path) => path.startsWith('/__mock'))).toEqual([])
  expect(await pathsOf('?control=false')).toEqual(platform)
  const all = await pathsOf('?control=true')
  expect(all).toEqual(expect.arrayContaining([...platform, '/__mock/reset', '/__mock/sandboxes/{name}']))
  const { paths } = (await mock.call('GET', '/__mock/openapi.json?control=true')).body
  const named = paths['/__mock/requests'].get.parameters.map(({ name }: { name: string }) => name)
  expect(named).toEqual(expect.arrayContaining(['operation', 'status', 'unmatched', 'limit']))
  const { status, body } = await mock.call('GET', '/__mock/openapi.json?control=perhaps')
  expect([status, body.errors[0].field]).toEqual([400, 'control'])
})
