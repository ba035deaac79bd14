import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageRoot } from '../src/engine/contract/load.js'
import { run } from './cli.js'
import { documents } from './documents.js'

const root = packageRoot()
const prose = (text: string) => text.replace(/^ *```[\s\S]*?^ *```/gm, '')
const isThere = (path: string) => existsSync(join(root, path))

test.each([...documents])('the links of %s lead to a document and to a heading of it', (path, text) => {
  const links = [...prose(text).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)/g)]
  for (const [link, file = '', anchor] of links) {
    const at = file === '' ? path : file.startsWith('/') ? file.slice(1) : join(dirname(path), file)
    expect([link, isThere(at)]).toEqual([link, true])
    if (anchor === undefined) continue
    const target = statSync(join(root, at)).isDirectory() ? join(at, 'README.md') : at
    expect([link, headings(documents.get(target) ?? '')]).toEqual([link, expect.arrayContaining([anchor])])
  }
})

/** The manual names files of its readers. */
const ofContributors = [...documents].filter(([path]) => !path.startsWith('docs/'))

test.each(ofContributors)('the files that %s names exist', (path, text) => {
  const named = [...prose(text).matchAll(/`((?:src|test|contracts|fixtures)\/[\w./-]+)`/g)].map(
    ([, it]) => it as string
  )
  for (const it of named) expect([it, isThere(it)]).toEqual([it, true])
  const near = [...prose(text).matchAll(/`([\w-]+\.(?:ts|mjs))`/g)].map(([, it]) => it as string)
  for (const it of near) expect([it, isThere(join(dirname(path), it))]).toEqual([it, true])
})

test.each([
  'serve',
  'verify',
  'proxy',
  'compare',
  'openapi',
  'assumptions',
  'scenario run',
  'scenario shrink',
  'static',
  'mcp'
])('the options that the documents give %s exist', async (command) => {
  const { stdout } = await run([...command.split(' '), '--help'])
  const names = new Set(stdout.match(/--[a-z][a-z-]+/g))
  const lines = [...documents.values()].flatMap(
    (text) => text.match(/(?:npx knowledge-chat-mock|npm start --).*/g) ?? []
  )
  const uses = lines.filter(
    (line) =>
      (/mock (exec|verify|proxy|compare|openapi|assumptions|scenario run|scenario shrink|static|mcp)\b/.exec(
        line
      )?.[1] ?? 'serve') === command
  )
  for (const line of uses) {
    const [ours = ''] = line.split(/[#`)&]/)
    for (const option of ours.match(/(?<= )--[a-z][a-z-]+/g) ?? [])
      expect([line, option, names.has(option)]).toEqual([line, option, true])
  }
})

test('the scripts that the documents name are in package.json', () => {
  const scriptsOf = (path: string) => Object.keys(JSON.parse(readFileSync(join(root, path), 'utf8')).scripts)
  const named = [...documents.values()].flatMap((text) => [...text.matchAll(/npm run ([a-z:]+)/g)].map(([, it]) => it))
  const names = new Set([
    ...scriptsOf('package.json'),
    ...scriptsOf('test/examples/front-end/package.json'),
    'test:integration'
  ])
  expect(named.filter((it) => !names.has(it as string))).toEqual([])
  expect(named.length).toBeGreaterThan(20)
})

test('README and CONTRIBUTING are short, and the glossary has at most 30 words', () => {
  const linesOf = (path: string) => (documents.get(path) as string).split('\n').length - 1
  expect(linesOf('README.md')).toBeLessThanOrEqual(150)
  expect(linesOf('CONTRIBUTING.md')).toBeLessThanOrEqual(120)
  const [, glossary] = (documents.get('CONTRIBUTING.md') as string).split('## Glossary') as [string, string]
  const words = [...glossary.matchAll(/^\| ([^|]+) \| /gm)].flatMap(([, it]) => (it as string).split(', ')).slice(1)
  expect(words.length).toBeGreaterThan(20)
  expect(words.length).toBeLessThanOrEqual(30)
  expect(new Set(words).size).toBe(words.length)
})

function headings(text: string): string[] {
  return [...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
  )
}
