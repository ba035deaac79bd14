import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start } from '../../cli.js'
import { startTestMock } from '../../mock.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-watch-own-'))
const file = join(folder, 'openapi.json')
const saying = (word: string) =>
  JSON.stringify({
    openapi: '3.1.0',
    paths: {
      '/api/word': {
        get: { responses: { 200: { description: 'ok', content: { 'application/json': { example: word } } } } }
      }
    }
  })

/** A mock of the folder, and a function that changes it and waits for the line about the result. */
async function started() {
  writeFileSync(file, saying('first'))
  let wake = (_: string) => {}
  const mock = await startTestMock({ with: [folder], watch: true, onReload: (line) => wake(line) })
  const lineAfter = (change: () => void) =>
    new Promise<string>((resolve) => {
      wake = resolve
      change()
    })
  return { mock, lineAfter }
}

test('a changed document is loaded each time, whether its file is written or replaced', async () => {
  const { mock, lineAfter } = await started()
  const replace = (text: string) => {
    writeFileSync(`${file}~`, text)
    renameSync(`${file}~`, file)
  }
  const changes: [string, (text: string) => void][] = [
    ['replaced', replace],
    ['written', (text) => writeFileSync(file, text)],
    ['replaced again', replace],
    ['written again', (text) => writeFileSync(file, text)]
  ]
  for (const [word, change] of changes) {
    expect(await lineAfter(() => change(saying(word)))).toContain('reloaded')
    expect((await mock.call('GET', '/api/word')).body).toBe(word)
  }
})

test('an API of one’s own is taken up, with the choices that its new document still leaves open', async () => {
  const beside = mkdtempSync(join(tmpdir(), 'kcm-watch-api-'))
  const document = join(beside, 'api.json')
  writeFileSync(document, saying('first'))
  let wake = (_: string) => {}
  const mock = await startTestMock({ api: document, watch: true, onReload: (line) => wake(line) })
  const line = await new Promise<string>((resolve) => {
    wake = resolve
    writeFileSync(document, saying('second'))
  })
  expect(line).toContain('reloaded')
  expect((await mock.call('GET', '/api/word')).body).toBe('second')
})

test('a file that a document refers to is loaded again, also after it was broken', async () => {
  const parts = mkdtempSync(join(tmpdir(), 'kcm-watch-referred-'))
  const part = join(parts, 'parts', 'word.json')
  const main = join(parts, 'api.json')
  mkdirSync(join(parts, 'parts'))
  writeFileSync(part, '{ "get": { "responses": { "200": { "description": "first" } } } }')
  writeFileSync(main, JSON.stringify({ openapi: '3.1.0', paths: { '/api/word': { $ref: 'parts/word.json' } } }))
  let wake = (_: string) => {}
  const mock = await startTestMock({ with: [main], watch: true, onReload: (line) => wake(line) })
  const write = (text: string) =>
    new Promise<string>((resolve) => {
      wake = resolve
      writeFileSync(part, text)
    })
  const described = async () =>
    (await mock.call('GET', '/openapi.json')).body.paths['/api/word'].get.responses[200].description
  expect(await described()).toBe('first')
  expect(await write('{ "get": ')).toContain('kept the old contracts')
  expect(await write('{ "get": { "responses": { "200": { "description": "second" } } } }')).toContain('word.json')
  expect(await described()).toBe('second')
})

test('a folder that is created later is watched, too', async () => {
  const { lineAfter } = await started()
  const scenarios = join(folder, 'scenarios')
  await lineAfter(() => {
    mkdirSync(scenarios)
    writeFileSync(file, saying('second'))
  })
  expect(await lineAfter(() => writeFileSync(join(scenarios, 'one.json'), '{"steps": []}'))).toContain('one.json')
})

/** The built mock with a folder of these files, and a function that writes files there and waits for its line. */
async function watching(files: Record<string, string>) {
  const rules = mkdtempSync(join(tmpdir(), 'kcm-watch-rules-'))
  const write = (all: Record<string, string>) => {
    for (const [name, text] of Object.entries(all)) writeFileSync(join(rules, name), text)
  }
  write({ 'openapi.json': saying('none').replace('"get":{', '"get":{"operationId":"word",'), ...files })
  const child = start(['serve', '--port', '0', '--with', rules, '--watch', '--anonymous', 'basic'])
  let said = ''
  let wake = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      said += chunk
      wake()
    })
  }
  const until = async (form: RegExp): Promise<string> => {
    for (let found = form.exec(said); ; found = form.exec(said)) {
      if (found) return found[1] ?? found[0]
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  const url = await until(/ready (http:\S+)/)
  const word = async () => (await fetch(`${url}/api/word`)).json()
  const lineAfter = (all: Record<string, string>) => {
    said = ''
    write(all)
    return until(/(?:reloaded|kept) .*/)
  }
  return { child, word, lineAfter }
}

test('rules are loaded again with the files that they import, as ES modules or CommonJS', async () => {
  const { child, word, lineAfter } = await watching({
    // Node alone loads an await outside of a function.
    'rules.mjs': "import { said } from './said.mjs'\nconst all = await [said]\nexport const word = () => all[0]",
    'said.mjs': "export { said } from './deep.cjs'",
    'deep.cjs': "exports.said = 'one'"
  })
  expect(await word()).toBe('one')
  await lineAfter({ 'deep.cjs': "exports.said = 'two'" })
  expect(await word()).toBe('two')
  await lineAfter({ 'said.mjs': "export const said = 'three'" })
  expect(await word()).toBe('three')
  await lineAfter({ 'said.mjs': "export const said = 'four'" })
  expect(await word()).toBe('four')
  const broken = "import { said } from './said.mjs'\nexport const word = ("
  expect(await lineAfter({ 'rules.mjs': broken })).toMatch(/rules\.mjs:\d+ cannot be loaded: Unexpected end of input/)
  expect(await word()).toBe('four')
  child.kill()
})

test('rules in CommonJS are loaded again each time, and fixtures cannot be a promise', async () => {
  const { child, word, lineAfter } = await watching({ 'rules.cjs': "exports.word = () => 'one'" })
  expect(await word()).toBe('one')
  for (const next of ['two', 'three']) {
    await lineAfter({ 'rules.cjs': `exports.word = () => '${next}'` })
    expect(await word()).toBe(next)
  }
  expect(await lineAfter({ 'fixtures.cjs': 'module.exports = async () => ({})' })).toContain(
    'fixtures.cjs: the function returns a promise: it must return rows at once'
  )
  expect(await lineAfter({ 'fixtures.cjs': 'module.exports = {}' })).toMatch(
    /^reloaded .*fixtures\.cjs: a reset shows the new rows$/
  )
  child.kill()
})
