import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { curlOf, withBody } from '../../src/tools/verify/calls/request.js'
import { Results, sentenceOf } from '../../src/tools/verify/results.js'
import { findingsOf } from './foreign/run.js'

test("a list of everybody's rows is one finding, which says that they are another user's", async () => {
  const findings = await findingsOf({ bugs: ['E21-everybody'] }, 'E21,E22,E23,E25', 1)
  expect(findings.map(({ check }) => check)).toEqual(['other_users_rows_hidden'])
  expect(findings.map(sentenceOf)[0]).toMatch(
    /^listProjects .*: this is the other user's row; so does getProjectDetails\.$/
  )
})

test('the same mistake in replies of several operations is one finding', () => {
  const results = new Results(new Set(['a', 'b', 'c']), () => undefined)
  const broken = (operation: string, place: string, problem: string) => {
    const expected = `the shape of the contract, but: ${place} ${problem}; and more`
    const texts = { title: 'example', expected, got: '200', curl: 'curl x', sequence: ['curl x'] }
    results.broken({ operation, check: 'response_schema_conformance', ...texts })
  }
  broken('a', '/0/time_created', 'must be string')
  broken('b', '/credential/time_created', 'must be string')
  broken('c', '/time_created', 'must be number')
  expect(results.findings.map(({ operation, also, more }) => [operation, also, more])).toEqual([
    ['a', ['b'], 1],
    ['c', undefined, 0]
  ])
})

test('a finding of requests at the same time has a script that sends them so', async () => {
  const [found] = await findingsOf({ bugs: ['race-E23'] }, 'E23', 1)
  const script = found?.sequence ?? []
  expect(script.filter((line) => line.endsWith(' &')).length).toBeGreaterThanOrEqual(5)
  await promisify(execFile)('bash', ['-n', '-c', script.join('\n')])
})

test('the command of a long body is short, and sends it whole', async () => {
  const operation = { id: 'x', path: '/x', method: 'POST' } as never
  const body = JSON.stringify({
    text: `it's ${'x'.repeat(10_000)}`,
    deep: JSON.parse('['.repeat(1200) + ']'.repeat(1200))
  })
  const command = curlOf('http://h', withBody({ operation, method: 'POST', target: '/x', headers: {} }, body), null, [])
  expect(command.length).toBeLessThan(500)
  const { stdout } = await promisify(execFile)('sh', ['-c', command.replace(/^curl .*?--data-binary/, 'printf %s')])
  expect(stdout).toBe(body)
})
