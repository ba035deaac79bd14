import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verify } from '../../src/apis/knowledge-chat/scenes/index.js'
import { verifyCommand } from '../../src/doors/cli/verify.js'
import { realTime } from '../../src/tools/verify/calls/patience.js'
import { invoke } from '../invoke.js'
import { type Reply, startBroken } from './mutants/server.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-overload-'))
const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

/** Nobody waits: a clock that only sleeping moves. */
beforeEach(() => {
  let now = Date.now()
  jest.spyOn(realTime, 'now').mockImplementation(() => now)
  jest.spyOn(realTime, 'sleep').mockImplementation(async (milliseconds) => {
    now += milliseconds
  })
})
afterEach(() => jest.restoreAllMocks())

const overload = (status: number, after?: string): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...(after !== undefined && { 'retry-after': after }) },
  body: { detail: 'later' }
})

/** A service of which some answers are of overload. */
async function strained(answer: (n: number, operation: string | undefined) => Reply | undefined): Promise<string> {
  let n = 0
  const server = await startBroken(() => (asked) => answer(++n, asked.operation) ?? asked.pass())
  closing.push(() => server.close())
  return server.url
}

/** Few generated requests: overload is that of all answers. */
const tokens = { token: 'admin', userToken: 'basic', cases: 1 }
const operations = 'E2,E5,E9,E10,E15,E16,E21,E22,E25,E29'

test.each([
  [429, undefined],
  [429, '1'],
  [503, '1'],
  [503, undefined],
  [502, undefined],
  [504, undefined]
])('a service that answers everything with %j, Retry-After %j, cannot be tested', async (status, after) => {
  const url = await strained(() => overload(status, after))
  await expect(verify({ url, ...tokens })).rejects.toThrow(`${status}`)
})

test.each([
  [429, undefined],
  [503, '1'],
  [503, undefined],
  [502, undefined],
  [504, undefined]
])(
  'where all but the role is answered with %j, Retry-After %j, no finding is made, and the run ends with 2',
  async (status, after) => {
    const url = await strained((_, operation) => (operation === 'getUserRole' ? undefined : overload(status, after)))
    const { exitCode, findings, problem } = await verify({ url, ...tokens, operations: 'E2,E5,E10,E21' })
    expect([exitCode, findings]).toEqual([2, []])
    expect(problem).toMatch(new RegExp(`${status}`))
  }
)

test('nine of ten answers with 503 are overload, and below that each 503 counts', async () => {
  const share = async (good: number) => {
    const url = await strained((n) => (n <= 3 || n % 20 < good ? undefined : overload(503)))
    return verify({ url, ...tokens, operations })
  }
  expect(await share(1)).toMatchObject({
    exitCode: 2,
    findings: [],
    problem: expect.stringContaining('answers were 503')
  })
  const half = await share(10)
  expect([half.exitCode, half.problem]).toEqual([1, undefined])
  expect(half.findings.map(({ check }) => check)).toContain('not_a_server_error')
})

test.each([
  ['503 without Retry-After', overload(503), 1],
  ['503 with Retry-After', overload(503, '5'), 2],
  ['429', overload(429), 2]
])('a service that is overloaded from the middle on is never green: %s', async (_, reply, code) => {
  const url = await strained((n) => (n > 100 ? reply : undefined))
  const { exitCode, findings, problem, notChecked } = await verify({ url, ...tokens, operations })
  expect(exitCode).toBe(code)
  // Those of the calls that were under way when it began.
  expect(findings.length).toBeLessThan(40)
  if (code === 2) expect(problem).toMatch(/^only \d+ % of the checks could be made, and 90 % are needed: .*\.$/)
  expect(notChecked.map(({ why }) => why).join()).toMatch(/503|429/)
})

test('an operation that always answers 503 is a finding, and the others are checked', async () => {
  const url = await strained((_, operation) => (operation === 'listChatSessions' ? overload(503) : undefined))
  const { exitCode, findings, checks } = await verify({ url, ...tokens, operations })
  expect(exitCode).toBe(1)
  expect([...new Set(findings.map((it) => `${it.operation} ${it.check}`))]).toContain(
    'listChatSessions not_a_server_error'
  )
  expect(
    checks.filter(({ operation, outcome }) => operation === 'getPersona' && outcome === 'held').length
  ).toBeGreaterThan(5)
})

test('a service that limits the rate for a moment is waited for, and is verified', async () => {
  const url = await strained((n) => (n % 40 === 7 ? overload(429, '1') : undefined))
  expect(await verify({ url, ...tokens, operations: 'E21,E29' })).toMatchObject({ exitCode: 0, findings: [] })
})

test('a token that may call too little ends with 2, and says so', async () => {
  const url = await strained((_, operation) =>
    operation === 'getUserRole' ? undefined : { ...overload(403), body: { detail: 'Forbidden' } }
  )
  const { exitCode, problem } = await verify({ url, token: 'basic', userToken: null, operations: 'E2,E10,E16,E21' })
  expect([exitCode, problem]).toEqual([2, expect.stringContaining('the token may not call it (403)')])
})

test('an unknown operation is reported, and the others are checked', async () => {
  const url = await strained(() => undefined)
  const { exitCode, notChecked } = await verify({ url, ...tokens, operations: ['E29', 'getNothing'] })
  expect(exitCode).toBe(0)
  expect(notChecked).toContainEqual(expect.objectContaining({ operation: 'getNothing', why: 'it is not an operation' }))
})

test('the command ends with 2, writes that into the reports, and keeps the choices that an earlier run wrote', async () => {
  const url = await strained(() => overload(502))
  const [xml, lines, choices] = ['a.xml', 'a.ndjson', 'choices.json'].map((it) => join(folder, it)) as [
    string,
    string,
    string
  ]
  writeFileSync(choices, '{"files.deletion": "refused"}')
  const report = ['--report', `junit=${xml},ndjson=${lines}`, '--write-assumptions', choices]
  const { code, stderr } = await invoke(verifyCommand(), [url, '--token', 'x', ...report])
  expect([code, stderr]).toEqual([2, expect.stringContaining('answers with 502')])
  expect(readFileSync(xml, 'utf8')).toMatch(/<error type="could-not-run" message="[^"]*502/)
  expect(JSON.parse(readFileSync(lines, 'utf8'))).toMatchObject({ type: 'summary', exitCode: 2 })
  expect(readFileSync(choices, 'utf8')).toContain('refused')
})

test('a report that cannot be written is exit code 2', async () => {
  const url = await strained(() => undefined)
  writeFileSync(join(folder, 'file'), '')
  const args = [url, '--token', 'admin', '--operations', 'E29', '--report', `junit=${folder}/file/a.xml`]
  expect(await invoke(verifyCommand(), args)).toMatchObject({ code: 2, stderr: expect.stringContaining('error:') })
})
