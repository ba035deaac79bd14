import { verify } from '../../src/apis/knowledge-chat/scenes/index.js'
import { junit } from '../../src/tools/verify/report/report.js'
import { startTestMock } from '../mock.js'
import { ant, breaches, jenkins, parsed } from './junit-schemas.js'
import { result } from './result.js'

const mock = await startTestMock({ now: undefined })

test('a report of a real run satisfies the schemas of Ant and of Jenkins, and has the time of each operation', async () => {
  const made = await verify({ url: mock.url, operations: 'getPersona,getUserRole,deleteTool' })
  const report = parsed(junit(made))
  expect(breaches(ant, report)).toEqual([])
  expect(breaches(jenkins, report)).toEqual([])
  const suites = report.children.map(({ attributes }) => attributes)
  expect(suites.map(({ id, name }) => [id, name])).toEqual([
    ['0', 'getPersona'],
    ['1', 'deleteTool'],
    ['2', 'getUserRole']
  ])
  for (const { name, time } of suites) {
    const duration = made.durations[name as string]
    expect(time).toBe(((duration ?? 0) / 1000).toFixed(3))
    if (name !== 'deleteTool') expect(duration).toBeGreaterThan(0)
  }
})

test('what could not be checked is skipped with the reason; only a run that shows nothing has an error', () => {
  const problem = 'only 40 % of the checks could be made'
  for (const exitCode of [0, 1, 2] as const) {
    const text = junit({ ...result, exitCode, ...(exitCode === 2 && { problem }) })
    const report = parsed(text)
    expect([breaches(ant, report), breaches(jenkins, report)]).toEqual([[], []])
    expect(text).toContain('<skipped type="impossible" message="')
    expect([exitCode, text.match(/<error [^>]*message="[^"]*"/g) ?? []]).toEqual([
      exitCode,
      exitCode === 2 ? [`<error type="could-not-run" message="${problem}"`] : []
    ])
  }
})

test('failures and skipped cases satisfy both schemas, whatever their texts are', () => {
  const report = parsed(junit(result))
  expect([breaches(ant, report), breaches(jenkins, report)]).toEqual([[], []])
  const [first, second, third] = report.children.map(({ attributes }) => attributes)
  expect(first).toMatchObject({
    ...{ name: 'getPersona', tests: '2', failures: '1', errors: '0', skipped: '0', time: '1.234' },
    timestamp: '2026-03-02T10:00:00'
  })
  expect(second).toMatchObject({ name: 'deleteUser', tests: '2', failures: '1', errors: '0', skipped: '1' })
  expect(third).toMatchObject({ name: 'deleteTool', tests: '1', failures: '0', errors: '0', skipped: '1' })
  const cases = report.children[0]?.children.filter(({ name }) => name === 'testcase') ?? []
  expect(cases.map(({ attributes }) => attributes.time)).toEqual(['0.309', '0.926'])
  expect(cases[0]?.children[0]?.text).toContain('another')
})

test.each([
  ['attributes of testsuites', (xml: string) => xml.replace('<testsuites>', '<testsuites skipped="1">')],
  ['a moment with a zone', (xml: string) => xml.replace(/timestamp="[^"]*/, '$&Z')],
  ['two failures of a case', (xml: string) => xml.replace('</failure>', '</failure><failure type="x"/>')],
  ['output before the cases', (xml: string) => xml.replace('<system-out/>', '').replace('<prop', '<system-out/><prop')],
  ['a suite without a time', (xml: string) => xml.replace(/(<testsuite .*) time="[^"]*"/, '$1')]
])('the schemas refuse %s', (_, broken) => {
  const report = parsed(broken(junit(result)))
  expect([...breaches(ant, report), ...breaches(jenkins, report)]).not.toEqual([])
})
