import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ended, ready, start } from '../cli.js'
import { moduleCases, moduleKinds, words } from './module-kinds.js'

const root = mkdtempSync(join(tmpdir(), 'kcm-modules-'))

/** A new folder with these files. */
function folderWith(files: Record<string, unknown>): string {
  const folder = mkdtempSync(join(root, 'own-'))
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  return folder
}

describe('rules.js and routes.js may be modules of either kind, whatever package.json says', () => {
  const responses = { 200: { description: 'ok', content: { 'application/json': {} } } }
  const openapi = {
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    paths: { '/pets': { get: { operationId: 'getPets', responses } } }
  }

  test.each(moduleCases)('%s under the type %s, in serve and after a reload', async (kind, type) => {
    const folder = folderWith({ 'package.json': { type }, 'openapi.json': openapi, ...moduleKinds[kind], ...words })
    const child = start(['--port', '0', '--with', folder, '--watch'])
    const errors = text(child.stderr as NodeJS.ReadableStream)
    const url = await ready(child)
    const ask = async (path: string) => (await fetch(url + path)).text()
    expect([await ask('/pets'), await ask('/own')]).toEqual(['[{"name":"Tom"}]', 'own'])
    writeFileSync(join(folder, 'word.mjs'), "export const word = 'Tim'")
    writeFileSync(join(folder, 'word.cjs'), "exports.word = 'Tim'")
    writeFileSync(join(folder, 'rules.js'), `${moduleKinds[kind]['rules.js']}\n`)
    while ((await ask('/pets')).includes('Tom')) {}
    expect(await ask('/pets')).toBe('[{"name":"Tim"}]')
    child.kill()
    expect(await errors).not.toContain('Warning: To load an ES module')
  })

  test('rules.ts works in any version of Node', async () => {
    const rules = 'export const getPets = (): { name: string }[] => [{ name: "Tom" as string }]'
    const folder = folderWith({ 'package.json': {}, 'openapi.json': openapi, 'rules.ts': rules })
    const url = await ready(start(['--port', '0', '--with', folder]))
    expect(await (await fetch(`${url}/pets`)).json()).toEqual([{ name: 'Tom' }])
  })

  test.each(['rules.mts', 'rules.cts'])('%s is loaded', async (name) => {
    const rules = 'export const getPets = (): { name: string }[] => [{ name: "Tom" as string }]'
    const url = await ready(start(['--port', '0', '--with', folderWith({ 'openapi.json': openapi, [name]: rules })]))
    expect(await (await fetch(`${url}/pets`)).json()).toEqual([{ name: 'Tom' }])
  })

  test.each([
    [
      'a syntax error',
      'export const a: number = 1\nexport const b: = 2',
      'rules.ts:2 cannot be loaded: Unexpected token'
    ],
    ['an error', 'throw new Error("boom")', 'rules.ts cannot be loaded: boom'],
    [
      'a missing import',
      'import x from "./no.js"\nexport const a: number = x',
      "rules.ts cannot be loaded: Cannot find module './no.js'"
    ]
  ])('%s in TypeScript is reported, also of a config file', async (_, text, said) => {
    const folder = folderWith({ 'openapi.json': openapi, 'rules.ts': text })
    for (const args of [
      ['--with', folder],
      ['--config', join(folder, 'rules.ts')]
    ]) {
      const { code, stderr } = await ended(start(['--port', '0', ...args]))
      expect([code, stderr.trim()]).toEqual([2, expect.stringContaining(said)])
      expect(stderr).not.toContain('Unknown file extension')
    }
  })
})
