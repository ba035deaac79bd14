import type { Socket } from 'node:net'
import { verify } from '../../src/doors/program/handle/verify.js'
import { text } from '../../src/tools/verify/report/report.js'
import { plant } from '../apis/document/faults.js'
import { documentOf, gives, listOf, objectOf, takes } from '../apis/document/shop.js'
import { startTestMock } from '../mock.js'
import { type Asked, startBroken } from './mutants/server.js'

const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

/** A service that does what some requests ask, and then ends their connection. The connections had answers before, or not. */
async function dropping(drops: (asked: Asked, isUsed: boolean, status: number) => boolean) {
  const used = new WeakSet<Socket>()
  const server = await startBroken(() => async (asked) => {
    const reply = await asked.pass()
    const isDropped = drops(asked, used.has(asked.socket), reply.status)
    used.add(asked.socket)
    if (isDropped) asked.socket.destroy()
    return reply
  })
  closing.push(() => server.close())
  return server.url
}

test('a session that a list shows is found and removed, whatever the connection was', async () => {
  const made: string[] = []
  let dropped = 0
  const server = await startBroken(() => async (asked) => {
    const reply = await asked.pass()
    if (asked.operation !== 'createChatSession' || reply.status !== 200) return reply
    made.push(reply.body.chat_session_id)
    // A list shows no incognito sessions, and others only by a text of the run.
    const isListed = asked.bytes.includes('kcm') && !asked.bytes.includes('incognito')
    if (isListed && made.length % 4 === 0 && ++dropped <= 3) asked.socket.destroy()
    return reply
  })
  closing.push(() => server.close())
  const given = { url: server.url, mutating: true, operations: 'E1,E2', cases: 1 }
  const result = await verify(given)
  expect(dropped).toBeGreaterThan(2)
  const rows = result.made.filter(({ kind, id }) => kind === 'session' && id !== 'unknown')
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(made))
  expect(rows.filter((row) => row.there)).toEqual([])
})

test('a row that no list shows is unknown, and the report counts it', async () => {
  let isDropped = false
  const url = await dropping(({ operation, method }, _, status) => {
    const isIt = operation === 'uploadConnectorFiles' && method === 'POST' && status === 200 && !isDropped
    isDropped ||= isIt
    return isIt
  })
  const result = await verify({ url, mutating: true, operations: 'E17', cases: 1 })
  expect(result.made).toContainEqual({
    kind: 'upload',
    id: 'unknown',
    operation: 'uploadConnectorFiles',
    there: 'unknown'
  })
  expect(text(result)).toMatch(/left behind: .*perhaps 1 upload, of which no answer came\. --made/)
})

test('a change of a row makes none', async () => {
  let dropped = 0
  const url = await dropping(
    ({ operation }, _, status) => operation === 'updatePersona' && status === 200 && ++dropped < 4
  )
  const { made } = await verify({ url, mutating: true, operations: 'E6', cases: 1 })
  expect(dropped).toBeGreaterThan(3)
  expect(made.filter(({ kind }) => kind === 'persona')).toEqual([])
})

test('rows of calls whose answer was lost with --api, a row is found by its key', async () => {
  const note = objectOf({ slug: { type: 'string', readOnly: true }, title: { type: 'string' } }, ['slug', 'title'])
  const form = objectOf({ title: { type: 'string' } }, ['title'])
  const path = { parameters: [{ name: 'slug', in: 'path', required: true, schema: { type: 'string' } }] }
  const api = documentOf({
    '/notes': { get: gives(listOf(note)), post: takes(form, note) },
    '/notes/{slug}': { ...path, get: gives(note), delete: { responses: { 204: { description: 'gone' } } } }
  })
  const mock = await startTestMock({ api, fixtures: 'empty' })
  let created = 0
  const lost = await plant(mock.url, async (call, next) => {
    const answer = await next(call)
    return answer.status === 201 && ++created === 3 ? null : answer
  })
  closing.push(lost.close)
  const { made } = await verify({ api, url: lost.url, token: 'admin', userToken: null, mutating: true })
  expect(created).toBeGreaterThan(3)
  expect(made.filter((row) => row.there)).toEqual([])
  expect(made.filter(({ kind }) => kind === 'notes')).toHaveLength(created)
  expect((await mock.call('GET', '/notes')).body).toEqual([])
})

describe('connections that end while they are in use', () => {
  test('one is noted, with its operation', async () => {
    let isDropped = false
    const url = await dropping(({ operation }, isUsed) => {
      const isIt = operation === 'listProjects' && isUsed && !isDropped
      isDropped ||= isIt
      return isIt
    })
    const result = await verify({ url, operations: 'E21,E29' })
    expect([result.findings, result.resent]).toEqual([[], { listProjects: 1 }])
    expect(text(result)).toContain('sent again, because a connection ended without an answer: listProjects\n')
  })

  test('a service that ends one in some of them is one finding', async () => {
    let count = 0
    const url = await dropping((_, isUsed) => isUsed && ++count % 9 === 0)
    const { findings, resent = {} } = await verify({ url, operations: 'E21,E22,E29', concurrency: 2 })
    expect(findings.map(({ check }) => check)).toEqual(['request_answered'])
    expect(findings[0]?.got).toMatch(/^\d+ connections that ended without an answer$/)
    expect(Object.keys(resent).length).toBeGreaterThan(1)
  })
})
