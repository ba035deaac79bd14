import { verify } from '../../src/apis/knowledge-chat/scenes/index.js'
import { startTestMock } from '../mock.js'
import { type Fault, startBroken } from './mutants/server.js'

const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

async function broken(fault: Fault): Promise<string> {
  const server = await startBroken(fault)
  closing.push(() => server.close())
  return server.url
}

const tokens = { token: 'admin', userToken: 'basic' }
const file = '5eedbeef-0000-4000-8000-0000000000aa'

/** A service that is not the mock, with one more file, which it refuses. */
const refusing = (status: number) =>
  broken(() => async (asked) => {
    if (asked.url.endsWith(`/file/${file}`) && asked.method === 'GET' && asked.headers.authorization === 'Bearer admin')
      return { status, headers: { 'content-type': 'application/json' }, body: { detail: 'It was canceled' } }
    const reply = await asked.pass()
    for (const name of Object.keys(reply.headers)) if (name.startsWith('x-mock')) delete reply.headers[name]
    return reply
  })

test.each([[410], [409], [423], [400]])('a named file that is refused with %i breaks rule 3.1', async (status) => {
  const url = await refusing(status)
  for (const given of [{ known: { file: [file] } }, { disposable: { file: [file] } }]) {
    const { exitCode, findings } = await verify({ url, ...tokens, operations: 'getFile', ...given })
    expect([exitCode, findings.map(({ check }) => check)]).toEqual([1, ['file_readable_in_any_status']])
    expect(findings[0]?.curl).toContain(file)
  }
})

test.each([[401], [403], [404]])(
  'a named file that is refused with %i was perhaps named wrongly: that is told',
  async (status) => {
    const url = await refusing(status)
    const { findings, notChecked } = await verify({ url, ...tokens, operations: 'getFile', known: { file: [file] } })
    expect(findings).toEqual([])
    expect(notChecked).toContainEqual({
      operation: 'getFile',
      subject: `the named row file=${file}`,
      why: `it is refused (${status}): is its id right, and may the token read it?`,
      kind: 'impossible'
    })
  }
)

test('a named file whose operation asks to wait without an end is listed as not checked', async () => {
  const url = await broken(() => async (asked) => {
    if (!asked.url.includes('/file/')) return asked.pass()
    return {
      status: 429,
      headers: { 'content-type': 'application/json', 'retry-after': '100' },
      body: { detail: 'Later' }
    }
  })
  const { notChecked } = await verify({ url, ...tokens, operations: 'getFile,getUserRole', known: { file: [file] } })
  const why = 'it was asked for, and no answer came that shows anything'
  expect(notChecked).toContainEqual(expect.objectContaining({ subject: `the named row file=${file}`, why }))
})

test('each named row that does not exist is reported, however many are named', async () => {
  const mock = await startTestMock()
  const many = Array.from({ length: 9 }, (_, n) => 9001 + n)
  const known = {
    persona: many,
    connector: [9001],
    credential: [9001],
    project: [9001],
    file: [file],
    tool: [1],
    limit: [1]
  }
  const { notChecked, exitCode } = await verify({
    url: mock.url,
    known: { ...known, user: ['ann@example.com'] },
    operations: 'E5,E9,E15,E22,E25,E20,E28,E30'
  })
  expect(exitCode).toBe(0)
  const told = notChecked.filter(({ subject }) => subject.startsWith('the named row'))
  expect(told.filter(({ operation }) => operation === 'getPersona')).toHaveLength(many.length)
  expect(told.filter(({ operation }) => operation !== 'getPersona').map(({ operation }) => operation)).toEqual([
    ...[
      'getCredential',
      'getConnector',
      'deleteTool',
      'getProjectDetails',
      'getFile',
      'deleteUser',
      'deleteTokenRateLimit'
    ]
  ])
})

test('disposable rows that cannot be deleted are reported', async () => {
  const mock = await startTestMock()
  const disposable = { tool: [9001], limit: [9001], user: ['nobody-at-all@example.com', 'Ada@example.com'] }
  const { notChecked } = await verify({ url: mock.url, mutating: true, operations: 'E20,E28,E30', disposable })
  const told = notChecked.filter(({ subject }) => subject.startsWith('the named row'))
  expect(told.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(['deleteTool', 'deleteUser', 'deleteTokenRateLimit'])
  )
})

test('with a sandbox in the token the mock has no fault, and the second user is in the same one', async () => {
  const mock = await startTestMock()
  const { findings, checks } = await verify({
    url: mock.url,
    token: 'admin~box',
    operations: 'E2,E5,E29,E1',
    mutating: true
  })
  expect(findings).toEqual([])
  expect(checks.map(({ check }) => check)).toEqual(expect.arrayContaining(['ignored_auth', 'other_users_rows_hidden']))
  await expect(verify({ url: mock.url, token: 'admin~box', userToken: 'basic~other' })).rejects.toThrow(
    'different sandboxes'
  )
})

test('the deliberately wrong tokens name the same sandbox, and another user', async () => {
  const sent = new Set<string>()
  const url = await broken(() => (asked) => {
    if (asked.operation === 'getUserRole') sent.add(asked.headers.authorization ?? '')
    return asked.pass()
  })
  await verify({ url, token: 'admin~box', operations: 'E29' })
  const twisted = [...sent].filter(
    (it) => /^Bearer /.test(it) && it.includes('~') && !/^Bearer (admin|basic)~box$/.test(it)
  )
  expect(twisted.sort()).toEqual(
    ['Bearer ADMIN~box', 'Bearer adminxx~box', 'Bearer admin~box x', 'Bearer admi~box'].sort()
  )
})

test('a proxy is not mistaken for the mock: verify deletes no row of the service behind it', async () => {
  let deletions = 0
  const service = await broken(() => async (asked) => {
    const reply = await asked.pass()
    const isOld = asked.url.endsWith('/persona/1') || /tool|limit/.test(asked.url)
    if (asked.method === 'DELETE' && isOld && reply.status < 300) deletions++
    for (const name of Object.keys(reply.headers)) if (name.startsWith('x-mock')) delete reply.headers[name]
    return reply
  })
  const upstream = { url: service, mocked: new Set<string>(), strict: false, timeout: 60_000 }
  const proxy = await startTestMock({ strict: false, auth: 'any', upstream })
  const operations = 'deletePersona,deleteTool,deleteTokenRateLimit'
  const { notChecked } = await verify({ url: proxy.url, ...tokens, operations, mutating: true, cases: 1 })
  expect(deletions).toBe(0)
  expect(notChecked.map(({ why }) => why).join()).toContain('give one with --disposable tool=<id>')
})
