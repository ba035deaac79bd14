import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

afterAll(() => rmSync(folder, { recursive: true }))

/** A mock of the folder, and what does something there and waits until the mock says what it made of that. */
async function started() {
  writeFileSync(file, saying('first'))
  let wake = (_: string) => {}
  const mock = await startTestMock({ with: [folder], watch: true, onReload: (line) => wake(line) })
  const told = (change: () => void) =>
    new Promise<string>((resolve) => {
      wake = resolve
      change()
    })
  return { mock, told }
}

test('a document of one’s own is taken up however often it is written, in its place or by another file', async () => {
  const { mock, told } = await started()
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
    expect(await told(() => change(saying(word)))).toContain('reloaded')
    expect((await mock.call('GET', '/api/word')).body).toBe(word)
  }
})

test('a folder that is made later is watched, too', async () => {
  const { told } = await started()
  const scenarios = join(folder, 'scenarios')
  await told(() => {
    mkdirSync(scenarios)
    writeFileSync(file, saying('second'))
  })
  expect(await told(() => writeFileSync(join(scenarios, 'one.json'), '{"steps": []}'))).toContain('one.json')
})
