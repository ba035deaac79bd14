import { join } from 'node:path'
import { packageRoot } from '../../../src/engine/contract/load.js'
import { ended, ready, startIn } from '../../cli.js'
import { call } from '../../mock.js'
import { folderWith } from './config-folder.js'

const main = join(packageRoot(), 'dist/main.js')

const run = (folder: string, args: string[], env = {}) => ended(startIn(folder, [main, ...args], env))
const json = 'knowledge-chat-mock.config.json'

/** What a mock that is started in a folder shows at a path of the control API: its state. */
async function stateIn(folder: string, args: string[] = [], env = {}, path = 'state') {
  const child = startIn(folder, [main, '--port', '0', ...args], env)
  const url = await ready(child)
  const { body } = await call(url, 'GET', `/__mock/${path}`)
  child.kill()
  return body
}

test('serve reads its options from the file; variables override it, and flags override both', async () => {
  const folder = folderWith({ [json]: JSON.stringify({ seed: 7, fixtures: 'empty', now: '2026-03-02T10:00:00Z' }) })
  expect(await stateIn(folder)).toMatchObject({ seed: 7, fixtures: 'empty', now: '2026-03-02T10:00:00.000Z' })
  expect(await stateIn(folder, [], { KCM_SEED: '8' })).toMatchObject({ seed: 8, fixtures: 'empty' })
  expect(await stateIn(folder, ['--seed', '9'], { KCM_SEED: '8' })).toMatchObject({ seed: 9, fixtures: 'empty' })
})

test('a module exports its options by default, and its paths are relative to it', async () => {
  const folder = folderWith({
    'config/mock.mjs': "export default { overrides: './own.json' }",
    'config/own.json': JSON.stringify([{ operation: 'getPersona', status: 503 }])
  })
  const { overrides } = await stateIn(folder, ['--config', 'config/mock.mjs'], {}, 'overrides')
  expect(overrides).toMatchObject([{ operation: 'getPersona', status: 503 }])
})

test('a command ignores options that only other commands have', async () => {
  const folder = folderWith({ [json]: JSON.stringify({ mutating: true, format: 'yaml' }) })
  const { code, stdout } = await run(folder, ['openapi'])
  expect([code, stdout.slice(0, 14)]).toEqual([0, 'openapi: 3.1.0'])
})

test('a missing file ends with 2', async () => {
  const { code, stderr } = await run(folderWith({}), ['--config', 'nothing.json'])
  expect([code, stderr.includes('there is no config file nothing.json')]).toEqual([2, true])
})

test('KCM_CONFIG names another file, and is not an unknown variable', async () => {
  const folder = folderWith({ 'other.json': '{"profile": "observed"}' })
  const { code, stderr } = await run(folder, ['openapi'], { KCM_CONFIG: 'other.json' })
  expect([code, stderr]).toEqual([0, ''])
})
