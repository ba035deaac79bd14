import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createMock } from '../../src/doors/program/mock.js'
import { writeSite } from '../../src/doors/site/write.js'
import { readWith } from '../../src/doors/with/with.js'
import { startTestMock } from '../mock.js'

/** An operation that answers with a text. */
const saying = (word: string) => ({
  get: { responses: { 200: { description: 'ok', content: { 'application/json': { example: word } } } } }
})
const api = {
  openapi: '3.1.0',
  info: { title: 'Words', version: '1' },
  paths: { '/words/one': saying('one'), '/words/two': saying('two') }
}
const example = `responses['200'].content['application/json']`

/** Files in a new folder, whose path it returns. */
function files(all: Record<string, string | object>): string {
  const root = mkdtempSync(join(tmpdir(), 'kcm-overlay-'))
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  return root
}

const overlay = (actions: object[], more: object = {}) => ({
  overlay: '1.0.0',
  info: { title: 'Mine', version: '1' },
  extends: '../api.json',
  actions,
  ...more
})

/** The answers of a mock with the folder `mock` to these paths, and its messages. */
async function answers(root: string, paths: string[]) {
  const lines: string[] = []
  const mock = createMock({ with: [join(root, 'mock')], anonymous: 'basic', onProblem: (text) => lines.push(text) })
  const bodies = await Promise.all(
    paths.map(async (path) => {
      const response = await mock.fetch(`http://mock${path}`)
      return response.ok ? response.json() : response.status
    })
  )
  await mock.close()
  return { bodies, lines }
}

test('an overlay changes the document that it extends, action by action, but not its file', async () => {
  const root = files({
    'api.json': api,
    'mock/overlay.json': overlay([
      { target: '$.paths', update: { '/words/three': saying('three') } },
      { target: `$.paths['/words/three'].get.${example}`, update: { example: 'tres' } },
      { target: `$.paths[?@.get].get.${example}[?@ == 'two']`, update: 'dos' },
      { target: "$.paths['/words/one']", remove: true },
      { target: '$.info', update: { 'x-list': [{ a: 1 }, { a: 2 }, { a: 3 }] } },
      { target: "$.info['x-list'][?@.a < 3]", remove: true },
      { target: "$.info['x-list']", update: { a: 4 } },
      { target: '$.info', update: { 'x-list': [{ a: 5 }] } },
      { target: "$.info['x-list'][?@.a == 4 || @.a == 5]", update: { b: true } }
    ])
  })
  const { bodies, lines } = await answers(root, ['/words/one', '/words/two', '/words/three'])
  expect(bodies).toEqual([404, 'dos', 'tres'])
  expect(lines).toEqual([])
  expect(JSON.parse(readFileSync(join(root, 'api.json'), 'utf8'))).toEqual(api)
  const [read] = readWith([join(root, 'mock')], {}, () => {}).documents
  expect(read?.document.info).toHaveProperty('x-list', [{ a: 3 }, { a: 4, b: true }, { a: 5, b: true }])
})

test.each([
  ['relative', () => '../api.json'],
  ['absolute', (root: string) => join(root, 'api.json')],
  ['a URL of a file', (root: string) => pathToFileURL(join(root, 'api.json')).href]
])('extends may be %s, in YAML too', async (_, extended) => {
  const root = files({ 'api.json': api, 'mock/rules.js': '' })
  const text = `overlay: 1.0.0\ninfo: { title: Mine, version: '1' }\nextends: '${extended(root)}'\nactions:\n  - target: $.paths.*.get.${example}\n    update: { example: same }\n`
  writeFileSync(join(root, 'mock/overlay.yaml'), text)
  expect((await answers(root, ['/words/one', '/words/two'])).bodies).toEqual(['same', 'same'])
})

test('a target that matches nothing is reported with its place, and the other actions apply', async () => {
  const root = files({
    'api.json': api,
    'mock/overlay.json': overlay([
      { target: "$.paths['/nowhere'].get", update: { deprecated: true } },
      { target: `$.paths['/words/one'].get.${example}`, update: { example: 'uno' } }
    ])
  })
  const { bodies, lines } = await answers(root, ['/words/one'])
  expect(bodies).toEqual(['uno'])
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(
    /overlay\.json:1:\d+ \/actions\/0\/target: \$\.paths\['\/nowhere'\]\.get matches nothing in the document\.$/
  )
})

test.each<[string, object, RegExp]>([
  ['an address', overlay([], { extends: 'https://example.com/api.json' }), /is an address\. Save the document first/],
  ['no file', overlay([], { extends: '../other.json' }), /\/extends: there is no file .*other\.json/],
  ['nothing', overlay([], { extends: undefined }), /names the document that it changes in extends/],
  ['another version', overlay([], { overlay: '2.0.0' }), /give an OpenAPI Overlay of version 1\.0/],
  ['no path', overlay([{ target: '$.paths[', remove: true }]), /is not a JSONPath \(RFC 9535\)/],
  ['an action without a target', overlay([{ update: {} }]), /an action has a target, and update or remove/],
  ['a wrong mark', overlay([{ target: '$.paths.*.get', update: { 'x-mock': 1 } }]), /x-mock must be an object/]
])('an overlay with %s stops the start with its place', (_, content, message) => {
  const root = files({ 'api.json': api, 'mock/overlay.json': content })
  expect(() => createMock({ with: [join(root, 'mock')] })).toThrow(message)
})

test('a mark that is wrong has its place in the overlay and its target, and a name with an apostrophe is found', async () => {
  const wrong = (path: string, mark: object) =>
    files({
      'api.json': { ...api, paths: { ...api.paths, "/o'things": saying('x') } },
      'mock/overlay.json': overlay([
        { target: "$.paths['/words/one']", update: { summary: 'One' } },
        { target: `$.paths['${path}'].get`, update: { 'x-mock': mark } }
      ])
    })
  const start = (root: string) => createMock({ with: [join(root, 'mock')] })
  for (const [path, target] of [
    ['/words/one', "$.paths['/words/one'].get"],
    ["/o\\'things", "$.paths['/o\\'things'].get"]
  ] as const) {
    const said = `overlay.json:1:\\d+ /actions/1/update/x-mock \\(${target.replace(/[$.[\]\\]/g, '\\$&')}\\): session must be`
    expect(() => start(wrong(path, { session: 'signin' }))).toThrow(new RegExp(said))
  }
  expect(() => start(wrong('/words/one', { collection: 'nothing' }))).toThrow('/actions/1/update/x-mock/collection')
})

test('an overlay and a document share a folder only if the overlay extends that document', async () => {
  const action = { target: `$.paths['/words/one'].get.${example}`, update: { example: 'uno' } }
  const root = files({ 'api.json': api, 'mock/openapi.json': api, 'mock/overlay.json': overlay([action]) })
  expect(() => createMock({ with: [join(root, 'mock')] })).toThrow(/openapi\.json is in the same folder: leave one out/)
  writeFileSync(join(root, 'mock/overlay.json'), JSON.stringify(overlay([action], { extends: './openapi.json' })))
  expect((await answers(root, ['/words/one'])).bodies).toEqual(['uno'])
})

test('a folder of --api may have an overlay, too', async () => {
  const users = 'export default { users: [{ key: "ann" }] }'
  const action = { target: `$.paths['/words/one'].get.${example}`, update: { example: 'uno' } }
  const root = files({ 'api.json': api, 'mock/api.mjs': users, 'mock/overlay.json': overlay([action]) })
  const mock = createMock({ api: join(root, 'mock') })
  const response = await mock.fetch('http://mock/words/one', { headers: { Authorization: 'Bearer ann' } })
  expect(await response.json()).toBe('uno')
  await mock.close()
})

test('a site has the document with its overlay, and the choices of the folder', async () => {
  const action = { target: `$.paths['/words/one'].get.${example}`, update: { example: 'uno' } }
  const choices = { 'requests.null': 'observed' }
  const root = files({ 'api.json': api, 'mock/overlay.json': overlay([action]), 'mock/assumptions.json': choices })
  await writeSite(join(root, 'site'), { base: '/', mock: { with: [join(root, 'mock')] } })
  const worker = readFileSync(join(root, 'site/mock-worker.js'), 'utf8')
  const has = (text: string) => [text, worker.includes(text)]
  expect(['uno', 'requests.null', 'openapi.json'].map(has)).toEqual(
    ['uno', 'requests.null', 'openapi.json'].map((text) => [text, true])
  )
  expect(worker).not.toContain('overlay.json')
})

test('--watch reloads the overlay and the document that it extends', async () => {
  const action = (word: string) => ({
    target: `$.paths['/words/one'].get.${example}`,
    update: { example: word }
  })
  const root = files({ 'api.json': api, 'mock/overlay.json': overlay([action('uno')]) })
  let wake = (_: string) => {}
  const mock = await startTestMock({ with: [join(root, 'mock')], watch: true, onReload: (line) => wake(line) })
  const written = (name: string, content: object) =>
    new Promise<string>((resolve) => {
      wake = resolve
      writeFileSync(join(root, name), JSON.stringify(content))
    })
  const word = async (path: string) => (await mock.call('GET', path)).body
  expect([await word('/words/one'), await word('/words/two')]).toEqual(['uno', 'two'])
  expect(await written('mock/overlay.json', overlay([action('eins')]))).toContain('overlay.json')
  const newer = { ...api, paths: { ...api.paths, '/words/two': saying('deux') } }
  expect(await written('api.json', newer)).toContain('api.json')
  expect([await word('/words/one'), await word('/words/two')]).toEqual(['eins', 'deux'])
})
