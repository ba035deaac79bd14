import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { assumptionsCommand } from '../../../src/doors/cli/assumptions.js'
import { openapiCommand } from '../../../src/doors/cli/openapi.js'
import { proxyCommand } from '../../../src/doors/cli/proxy.js'
import { serveCommand } from '../../../src/doors/cli/serve.js'
import { invoke, refusalOf } from '../../invoke.js'

test.each([
  [['--fixtures', 'demp'], 'demo'],
  [['--profile', 'real'], 'documented, observed'],
  [['--port', 'eighty'], '--port is "eighty": give a whole number from 0 to 65535'],
  [['--seed', '1.5'], 'whole number'],
  [['--now', 'yesterday'], '2026-03-02T10:00:00Z'],
  [['--assume', 'files.deletion'], '<id>=<choice>'],
  [['--assume', 'files.delete=refused'], 'files.deletion'],
  [['--assume', 'files.deletion=refuse'], 'unlinked, refused']
])('serve refuses %j and lists the good values', async (args, named) => {
  expect(await refusalOf(serveCommand(), args)).toContain(named)
})

test('openapi prints the same document as JSON and as YAML', async () => {
  const json = await invoke(openapiCommand(), [])
  const yaml = await invoke(openapiCommand(), ['--format', 'yaml'])
  expect([json.code, yaml.code]).toEqual([0, 0])
  expect(parse(yaml.stdout)).toEqual(JSON.parse(json.stdout))
  expect(JSON.parse(json.stdout).openapi).toBe('3.1.0')
})

test('openapi follows the assumptions', async () => {
  const { stdout } = await invoke(openapiCommand(), ['--assume', 'delete.body=204'])
  const { responses } = JSON.parse(stdout).paths['/api/chat/delete-chat-session/{session_id}'].delete
  expect(Object.keys(responses)).toContain('204')
  expect(Object.keys(responses)).not.toContain('200')
})

test('assumptions those of another API are its own', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'kcm-ledger-')), 'shop.json')
  const paths = { '/a': { get: { responses: { 200: { description: 'ok' } } } } }
  writeFileSync(file, JSON.stringify({ openapi: '3.1.0', info: { title: 'Shop', version: '1' }, paths }))
  const { code, stdout } = await invoke(assumptionsCommand(), ['--api', file])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^errors\.unknown-path /m)])
  expect(stdout).not.toContain('files.deletion')
})

test('assumptions prints every entry with the choice in force', async () => {
  const { code, stdout } = await invoke(assumptionsCommand(), ['--profile', 'observed'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^files\.deletion +refused +What does E26/m)
})

test('assumptions explains one entry', async () => {
  const { code, stdout } = await invoke(assumptionsCommand(), ['files.deletion'])
  expect(code).toBe(0)
  expect(stdout).toContain('unlinked (in force, documented)')
  expect(stdout).toContain('refused (observed)')
})

test('assumptions ends with 2 on an unknown id and suggests similar ones', async () => {
  const { code, stderr } = await invoke(assumptionsCommand(), ['files.delete'])
  expect(code).toBe(2)
  expect(stderr).toContain('files.deletion')
})

test('the environment is named when a secret in it is wrong, and the flag when that was given', async () => {
  const env = await invoke(serveCommand(), ['--port', '0'], { env: { KCM_CONTROL_TOKEN: 'to ken' } })
  const flag = await invoke(serveCommand(), ['--port', '0', '--control-token', 'to ken'])
  expect([env.code, env.stderr]).toEqual([
    2,
    expect.stringContaining('error: KCM_CONTROL_TOKEN is not a bearer token: give')
  ])
  expect([flag.code, flag.stderr]).toEqual([
    2,
    expect.stringContaining('error: --control-token is not a bearer token: give')
  ])
  expect(env.stderr + flag.stderr).not.toContain('to ken')
})

test('the help has groups, and begins with the ten options that people use first', () => {
  const [, ...groups] = serveCommand()
    .helpInformation()
    .split(/\n(?=[A-Z][^\n]*:\n)/)
  const names = groups.map((text) => [text.split(':')[0], ...(text.match(/(?<=^ +--)[a-z-]+/gm) ?? [])])
  expect(names[0]).toEqual([
    'Used most',
    ...['port', 'host', 'fixtures', 'seed', 'now', 'scenario', 'with', 'data', 'watch', 'log']
  ])
  expect(names.map(([group]) => group)).toEqual([
    'Used most',
    'State and contracts',
    'Sign-in and access',
    'Public demo',
    'Limits',
    'Several processes',
    'Start and stop',
    'Options'
  ])
  // Only --help itself.
  expect(names.at(-1)).toEqual(['Options'])
})

describe('proxy', () => {
  test.each([
    [[], "missing required argument 'upstream-url'"],
    [['nowhere'], 'The upstream is "nowhere". Give an address such as http://127.0.0.1:8080.'],
    [
      ['http://127.0.0.1:1', '--mock', 'getNothing'],
      '--mock: no operation is named "getNothing". Known: createChatSession'
    ],
    [['http://127.0.0.1:1', '--ca', '/no/such.pem'], "no such file or directory, open '/no/such.pem'"],
    [
      ['http://127.0.0.1:1', '--timeout', 'soon'],
      '--timeout is "soon": give a number above 0. It may have a unit, such as "2h", "30s"'
    ]
  ])('%j is refused', async (args, reason) => {
    const error = await refusalOf(proxyCommand(), args)
    expect(error).toContain(reason)
    expect(error.match(/error:/g)).toHaveLength(1)
  })
})
