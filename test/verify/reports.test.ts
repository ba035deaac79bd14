import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { packageRoot, readJson } from '../../src/engine/contract/load.js'
import { html } from '../../src/tools/verify/report/html.js'
import { createPlaces, fingerprint } from '../../src/tools/verify/report/place.js'
import {
  annotations,
  junit,
  ndjson,
  reportsOf,
  sarif,
  stepSummary,
  text,
  writeReports
} from '../../src/tools/verify/report/report.js'
import type { Finding } from '../../src/tools/verify/results.js'
import { finding, hostile, result } from './result.js'

const places = createPlaces()

test('SARIF satisfies its schema, names the operation, and has the same fingerprints in every run', () => {
  const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(
    readJson(join(packageRoot(), 'test/verify/sarif-2.1.0.schema.json'))
  )
  const document = JSON.parse(sarif(result, places))
  expect([validate(document), validate.errors]).toEqual([true, null])
  const [first, second] = document.runs[0].results
  expect(first.ruleId).toBe('not_a_server_error')
  const logicalLocations = [{ name: 'getPersona', fullyQualifiedName: 'GET /api/persona/{persona_id}', kind: 'member' }]
  expect(first.locations).toEqual([{ logicalLocations }])
  expect(first.partialFingerprints).not.toEqual(second.partialFingerprints)
  expect(fingerprint({ ...finding, got: 'something else' })).toBe(fingerprint(finding))
  const described = JSON.parse(sarif(result, () => ({ request: 'GET /x', file: 'docs/my api.yaml', line: 7 })))
  expect([validate(described), validate.errors]).toEqual([true, null])
  expect(described.runs[0].results[0].locations[0].physicalLocation).toEqual({
    artifactLocation: { uri: 'docs/my%20api.yaml' },
    region: { startLine: 7 }
  })
  expect(described.runs[0].results[0].partialFingerprints).toEqual(first.partialFingerprints)
})

test('each report of a run that shows nothing says so, and why', () => {
  const problem = '96 of 100 answers were 503: the server is overloaded'
  const nothing = { ...result, findings: [], checks: [], exitCode: 2 as const, problem }
  const document = JSON.parse(sarif(nothing, places))
  const [{ executionSuccessful, toolExecutionNotifications: told }] = document.runs[0].invocations
  expect([executionSuccessful, told[0]]).toEqual([false, { level: 'error', message: { text: problem } }])
  expect(annotations(nothing, places)).toBe(`::error title=verify could not run::${problem}\n`)
  expect(stepSummary(nothing)).toContain('**could not run**')
  for (const report of [junit(nothing), ndjson(nothing), html(nothing), text(nothing), stepSummary(nothing)])
    expect(report).toContain(problem)
  expect(html(nothing)).toContain('<header class="broken">')
  const [good] = JSON.parse(sarif(result, places)).runs[0].invocations
  expect([
    good.executionSuccessful,
    good.toolExecutionNotifications.map(({ level }: { level: string }) => level)
  ]).toEqual([true, ['note', 'note']])
})

test('NDJSON is a JSON value a line, the last one a summary', () => {
  const lines = ndjson(result)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ type }) => type)).toEqual([
    ...[
      'check',
      'check',
      'check',
      'finding',
      'finding',
      'finding',
      'answer',
      'answer',
      'answer',
      'not-checked',
      'not-checked',
      'summary'
    ]
  ])
  expect(lines[3].title).toBe(hostile)
  expect(lines.at(-1)).toMatchObject({ findings: 3, exitCode: 1 })
})

test('HTML is one page that loads nothing, runs nothing and shows hostile texts as texts', () => {
  const page = html(result)
  expect(page).not.toMatch(/<script|<link|<img|src=|url\(|@import/)
  expect(page).toContain('&#60;script&#62;alert(1)&#60;/script&#62;')
  expect(page).toContain('prefers-color-scheme: dark')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be in it
  expect(page).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/)
  const open = (page.match(/<(details|table|section|thead|tbody|tr|td|th|pre|p|code|dl|ul|li)\b/g) ?? []).length
  expect((page.match(/<\/(details|table|section|thead|tbody|tr|td|th|pre|p|code|dl|ul|li)>/g) ?? []).length).toBe(open)
})

test('HTML describes each point that was learned, next to the choice of the mock, with the request that showed it', () => {
  const page = html(result)
  const [, other = '', same = ''] = page.split('<caption>')
  expect(other).toMatch(/^In another way than the mock: 2</)
  expect(other).toContain('What does E26 do to a file that is linked?')
  expect(other).toContain('<code>refused</code><p>Nothing: 200 with has_associations true</p>')
  expect(other).toContain('<code>unlinked</code><p>It is unlinked from every project')
  expect(same).toMatch(/^As the mock: 1</)
  expect(same).toContain('<pre>curl -sS -i x</pre>')
  expect(page).toMatch(/Not shown by this run: \d+/)
  expect(page).toContain('Is &#34;7&#34; an integer in a JSON body?')
  expect(page).not.toContain('How does the interface change?')
  expect(page).not.toMatch(/<th>/)
})

test('there are at most ten annotations, of a line each, and no text can end one early', () => {
  const many = Array.from(
    { length: 15 },
    (_, n): Finding => ({
      ...finding,
      operation: n < 8 ? 'getPersona' : 'deleteUser',
      check: n % 8 === 0 ? 'use_after_free' : 'unique_rows',
      title: `${n}`
    })
  )
  const operations = ['getPersona', 'deleteUser', 'listProjects', 'getFile', 'linkFile', 'deleteFile']
  const spread = many.flatMap((it) => operations.map((operation) => ({ ...it, operation })))
  const lines = annotations({ ...result, findings: [...result.findings, ...spread] }, places)
    .trimEnd()
    .split('\n')
  expect(lines).toHaveLength(10)
  for (const line of lines) expect(line).toMatch(/^::error [^:]*::/)
  expect(lines.at(-1)).toContain('title=')
  const [single] = annotations({ ...result, findings: [finding] }, places).split('\n')
  expect(single).toContain('100%250A%0A::error::pwned')
  expect(single).toMatch(/^::error title=getPersona%3A not_a_server_error::/)
  const described = annotations(result, () => ({ request: 'GET /x', file: 'docs/api,v1.yaml', line: 7 }))
  expect(described).toMatch(/^::error file=docs\/api%2Cv1\.yaml,line=7,title=getPersona%3A not_a_server_error::/)
})

test('the step summary is Markdown, and no text can end one of its code blocks', () => {
  const markdown = stepSummary(result)
  expect(markdown.replace(/^(````+)[\s\S]*?^\1$/gm, '')).not.toContain('<script>')
  expect(markdown).toContain('````')
  expect(markdown).toContain('files.deletion=refused')
})

test('reports create the folders of their files, and an unknown form is refused with the valid ones', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kcm-reports-'))
  const file = (name: string) => join(folder, 'deep', name)
  writeReports(
    result,
    reportsOf([`junit=${file('a.xml')},ndjson=${file('b')}`, `html=${file('c.html')}`]),
    places,
    undefined
  )
  expect([readFileSync(file('a.xml'), 'utf8'), readFileSync(file('b'), 'utf8')]).toEqual([
    junit(result),
    ndjson(result)
  ])
  expect(readFileSync(file('c.html'), 'utf8')).toBe(html(result))
  rmSync(folder, { recursive: true })
  expect(() => reportsOf(['junit'])).toThrow(
    'give junit=<file>, sarif=<file>, ndjson=<file>, html=<file>, har=<file>, or github.'
  )
  expect(() => reportsOf(['constructor=x'])).toThrow('report is "constructor=x"')
})
