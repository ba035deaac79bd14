import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { packageRoot } from '../../src/engine/contract/load.js'
import { startTestMock } from '../mock.js'

const mock = await startTestMock()
const { scenarios } = (await mock.call('GET', '/__mock/scenarios')).body as {
  scenarios: { name: string; description: string }[]
}

test('the scenarios cover what front ends need, each with a description', () => {
  const files = readdirSync(join(packageRoot(), 'fixtures/scenarios')).map((file) => basename(file, '.json'))
  expect(scenarios.map(({ name }) => name).sort()).toEqual(files.sort())
  for (const { description } of scenarios) expect(description).toMatch(/^[A-Z].{20,}\.$/)
})

test('the JSON Schema in the package accepts each of them, and the parts of a capsule, but no misspelt field', async () => {
  const schema = JSON.parse(readFileSync(join(packageRoot(), 'dist/scenario.schema.json'), 'utf8'))
  const takes = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
  const folder = join(packageRoot(), 'fixtures/scenarios')
  const read = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
  const capsule = (await mock.call('GET', '/__mock/capsule')).body
  expect([...read, capsule].filter((it) => !takes(it)).map(({ name }) => name)).toEqual([])
  expect(takes({ steps: [{ creat: { collection: 'labels' } }] })).toBe(false)
  expect(takes({ steps: [{ create: { collection: 'labels', parts: {} } }] })).toBe(false)
  expect(takes({ $schema: 'x', steps: [{ create: { collection: 'labels' }, as: 'one' }] })).toBe(true)
})

describe.each(scenarios.map(({ name }) => name))('the scenario %s', (name) => {
  test('plays, and its expectations are met', async () => {
    const headers = { 'X-Mock-Sandbox': name }
    const { status, body } = await mock.call('POST', `/__mock/scenarios/${name}`, { headers })
    expect([status, body.detail, body.name]).toEqual([200, undefined, name])
    const { violations } = { violations: mock.handle(name).requests({ violations: true }) }
    expect(violations).toEqual([])
  })

  test('leaves the same state each time, byte for byte', async () => {
    const state = JSON.stringify(mock.handle(name).state)
    await mock.handle(name).play(name)
    expect(JSON.stringify(mock.handle(name).state)).toBe(state)
  })
})

test.each(['longest-text', 'right-to-left'])('the subject of %s is at the top of the list of chats', async (name) => {
  const { results } = await mock.handle(name).play(name)
  const headers = { 'X-Mock-Sandbox': name }
  const { body } = await mock.call('GET', '/api/chat/get-user-chat-sessions', { as: 'basic', headers })
  expect(body.sessions[0].id).toBe((results.chat as { id: string }).id)
})

test.each([
  { path: { persona_id: { toString: null } } },
  { path: { persona_id: [{ toString: null }] } },
  { path: { persona_id: '\ud800' } },
  { query: { a: { toString: null } } }
])('a call with %j in its address is answered, and is not a failure of the mock', async (given) => {
  const { status } = await mock.call('POST', '/__mock/calls', { body: { operation: 'getPersona', ...given } })
  expect(status).toBeLessThan(500)
})
