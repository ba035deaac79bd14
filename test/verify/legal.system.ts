import { verify } from '../../src/apis/knowledge-chat/scenes/index.js'
import { isSample, sampled } from '../extent.js'
import { legals } from './legal.js'
import { type Fault, startBroken } from './mutants/server.js'

/** Also what the fault answers itself is the mock's: then its rows may be changed. */
const asTheMock =
  (fault: Fault): Fault =>
  () => {
    const alter = fault()
    return async (asked) => {
      const reply = await alter(asked)
      reply.headers['x-mock-request-id'] ??= '1'
      return reply
    }
  }

test.each(sampled(legals, 36).map((legal) => [legal.name, legal] as const))(
  'nothing is found where %s',
  async (_, legal) => {
    const server = await startBroken(asTheMock(legal.fault))
    const { findings, checks } = await verify({
      url: server.url,
      mutating: true,
      cases: 3,
      operations: legal.operations
    })
    await server.close()
    expect(findings.map(({ operation, check, expected, got }) => [operation, check, expected, got])).toEqual([])
    expect(checks.length).toBeGreaterThan(5)
  }
)

test('a limit to the rate of requests is reported as an answer', async () => {
  const slow = legals.find(({ name }) => name.includes('429'))
  const server = await startBroken(asTheMock((slow as (typeof legals)[number]).fault))
  const { answers } = await verify({ url: server.url, operations: 'E2,E29' })
  await server.close()
  const evidence = expect.stringMatching(/^\d+ requests had to wait/)
  expect(answers).toContainEqual(expect.objectContaining({ id: 'limits.rate', evidence }))
})

test('verify sends nothing of the mock to another server: no token, no row of its fixtures, no user', async () => {
  const sent: string[] = []
  const server = await startBroken(() => async (asked) => {
    const good = { 'Bearer one-administrator': 'Bearer admin', 'Bearer some-other-user': 'Bearer basic' }
    const { authorization = '' } = asked.headers
    sent.push(`${asked.method} ${asked.url} ${authorization} ${asked.bytes}`)
    const reply = await asked.pass({
      headers: { authorization: good[authorization as keyof typeof good] ?? authorization }
    })
    for (const name of Object.keys(reply.headers)) if (name.startsWith('x-mock')) delete reply.headers[name]
    return reply
  })
  await expect(verify({ url: server.url })).rejects.toThrow(
    'needs the token of an administrator: give it with --token.'
  )
  const alone = { url: server.url, token: 'one-administrator', mutating: true, operations: 'listProjects' }
  const { notChecked } = await verify(alone)
  const operations = isSample ? '*e*Persona*,*Credential*,inviteUsers,getUserRole' : '*'
  const tokens = { token: 'one-administrator', userToken: 'some-other-user' }
  await verify({ url: server.url, ...tokens, mutating: true, operations })
  await server.close()
  const own = /Bearer (admin|basic|curator)\b|YWRtaW4|(ada|grace|alan|linus)@|5f0c9c1e|"gpt-4o"|"openai"/
  expect(sent.filter((it) => own.test(it))).toEqual([])
  const why = 'it takes a second user: see --user-token'
  expect(notChecked).toContainEqual(expect.objectContaining({ operation: 'listProjects', why }))
})
