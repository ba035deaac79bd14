import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { verify } from '../../src/apis/knowledge-chat/scenes/index.js'
import { curlOf, withBody } from '../../src/tools/verify/calls/request.js'
import { Results, sentenceOf } from '../../src/tools/verify/results.js'
import { findingsOf } from './foreign/run.js'
import { type Reply, startBroken } from './mutants/server.js'

test("a list of everybody's rows is one finding, which says that they are another user's", async () => {
  const findings = await findingsOf({ bugs: ['E21-everybody'] }, 'E21,E22,E23,E25', 1)
  expect(findings.map(({ check }) => check)).toEqual(['other_users_rows_hidden'])
  expect(findings.map(sentenceOf)[0]).toMatch(
    /^listProjects .*: this is the other user's row; getProjectDetails shows it too\.$/
  )
})

/** The findings if an operation answers so. */
async function findingsBehind(operation: string, operations: string, alter: (reply: Reply) => void) {
  const server = await startBroken(() => async (asked) => {
    const reply = await asked.pass()
    if (asked.operation === operation && reply.status === 200) alter(reply)
    return reply
  })
  const { findings } = await verify({ url: server.url, mutating: true, operations, cases: 1 })
  await server.close()
  return findings
}

test('a list that loses its newest row is one finding of the list, in each check that relies on it', async () => {
  const findings = await findingsBehind('listChatSessions', 'E1,E2,E3,E4', ({ body }) => {
    const newest = Math.max(...body.sessions.map((it: { time_created: string }) => Date.parse(it.time_created)))
    const at = body.sessions.findIndex((it: { time_created: string }) => Date.parse(it.time_created) === newest)
    body.sessions.splice(at, 1)
  })
  expect(findings.map(({ operation, check }) => `${operation} ${check}`)).toEqual([
    'listChatSessions ensure_resource_availability'
  ])
  expect(sentenceOf(findings[0] as (typeof findings)[0])).toMatch(
    /^listChatSessions loses a row that was created, or is listed elsewhere; .*createChatSession.* shows? it too\.$/
  )
  expect(findings[0]?.more).toBeGreaterThan(1)
})

test('a list that has each row twice is one finding', async () => {
  const findings = await findingsBehind('listCredentials', 'E8,E9,E10,E11', (reply) => {
    reply.body = [...reply.body, ...reply.body]
  })
  expect(findings.map(({ operation, check }) => `${operation} ${check}`)).toEqual(['listCredentials unique_rows'])
})

test('a session that no deletion removes is one finding', async () => {
  const made = new Set<string | undefined>()
  const server = await startBroken(() => async (asked) => {
    const isKept = asked.operation === 'deleteChatSession' && made.has(asked.params.session_id)
    if (isKept && asked.headers.authorization === 'Bearer admin')
      return { status: 200, headers: { 'content-type': 'application/json' }, body: {} }
    const reply = await asked.pass()
    if (asked.operation === 'createChatSession') made.add(reply.body?.chat_session_id)
    return reply
  })
  const { findings } = await verify({
    url: server.url,
    mutating: true,
    operations: 'E1,E2,E3,E4',
    cases: 1,
    userToken: null
  })
  await server.close()
  expect(findings.map(({ check }) => check)).toEqual(['use_after_free'])
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
