import { readFileSync } from 'node:fs'
import type { RunningMock } from '../../src/doors/program/open-mock.js'
import { syncModes } from '../../src/engine/keep/log.js'
import { LogFile, readLog } from '../../src/engine/keep/log-file.js'
import { type Answer, call } from '../mock.js'
import { close, control, create, full, interceptWrites, log, names, newFolder, open, session } from './kept.js'

const list = '/api/chat/get-user-chat-sessions'

/** Delays writes to logs until they are released or fail. */
function held() {
  let free: (() => void) | undefined
  let isFailing = false
  let isEnded = false
  const begun: (() => void)[] = []
  const end = interceptWrites(async (_, go) => {
    for (const it of begun.splice(0)) it()
    if (!isEnded) await new Promise<void>((resolve) => (free = resolve))
    return isFailing ? full() : go()
  })
  const finish = (fails: boolean) => {
    isFailing = fails
    isEnded = true
    end()
    free?.()
  }
  return {
    /** Resolves when a write waits. */
    writing: () => new Promise<void>((resolve) => begun.push(resolve)),
    letGo: () => finish(false),
    fail: () => finish(true)
  }
}

/** The answers that have arrived together with those of independent requests. */
async function answered(mock: RunningMock, asked: Promise<Answer>[]): Promise<boolean[]> {
  const done = asked.map(() => false)
  for (const [at, it] of asked.entries()) void it.then(() => (done[at] = true))
  for (let n = 0; n < 3; n++) await call(mock.url, 'GET', '/__mock/health')
  await call(mock.url, 'GET', list, { as: 'admin~other' })
  return done
}

test('with --data, an unsaved change delays all answers of its sandbox until it is saved, but no other sandbox', async () => {
  const mock = await open(newFolder())
  for (const as of ['admin', 'admin~other']) await call(mock.url, 'GET', list, { as })
  const disk = held()
  const begun = disk.writing()
  const made = call(mock.url, 'POST', create, session('New'))
  await begun
  const reads = [
    made,
    call(mock.url, 'GET', list),
    call(mock.url, 'GET', list, { headers: { Prefer: 'delay=1' } }),
    call(mock.url, 'POST', create, { body: { description: 7 } }),
    control(mock.url, 'GET', '/state/chatSessions'),
    control(mock.url, 'GET', '/requests'),
    control(mock.url, 'GET', '/sandboxes', undefined, 'admin~other')
  ]
  expect(await answered(mock, reads)).toEqual(reads.map(() => false))
  disk.letGo()
  expect((await Promise.all(reads)).map(({ status }) => status)).toEqual([200, 200, 200, 422, 200, 200, 200])
  expect((await reads[1])?.body.sessions).toHaveLength(1)
})

test('with --data, an unsaved change that fails is never shown: waiting requests are answered again without it', async () => {
  const mock = await open(newFolder())
  await call(mock.url, 'GET', list, { as: 'admin~other' })
  await call(mock.url, 'POST', create, session('Kept'))
  const before = await control(mock.url, 'GET', '/state')
  const disk = held()
  const begun = disk.writing()
  const made = call(mock.url, 'POST', create, session('Lost'))
  await begun
  const override = control(mock.url, 'POST', '/overrides', { operation: 'getUserRole', status: 503 })
  const reads = [
    call(mock.url, 'GET', list),
    control(mock.url, 'GET', '/state'),
    control(mock.url, 'GET', '/overrides'),
    call(mock.url, 'GET', '/api/get-user-role')
  ] as const
  await answered(mock, [made, override, ...reads])
  disk.fail()
  expect([(await made).status, (await override).status]).toEqual([507, 507])
  const [sessions, state, overrides, role] = await Promise.all(reads)
  expect(sessions.body.sessions.map((it: { name: string }) => it.name)).toEqual(['Kept'])
  expect(sessions.headers.get('x-mock-violations')).toBeNull()
  expect(state.text).toBe(before.text)
  expect(overrides.body).toEqual({ overrides: [] })
  expect(role.status).toBe(507)
  expect(await names(mock.url)).toEqual(['Kept'])
})

test.each(syncModes)(
  'with --data, an unsaved change is in the file at the time of every answer, with --sync %s',
  async (sync) => {
    const data = newFolder()
    const mock = await open(data, { sync })
    const seen: string[][] = []
    const rows = () => readFileSync(log(data), 'utf8')
    const writes = Array.from({ length: 20 }, (_, n) => call(mock.url, 'POST', create, session(`Name ${n}.`)))
    const reads = Array.from({ length: 40 }, async () => {
      const shown = await names(mock.url)
      const kept = rows()
      seen.push(shown.filter((name) => !kept.includes(name)))
    })
    await Promise.all([...writes, ...reads])
    expect(seen.flat()).toEqual([])
    expect(readLog(readFileSync(log(data))).damage).toBeUndefined()
  }
)

test('with --data, an unsaved change with --sync always is forced onto the disk before it is shown', async () => {
  const mock = await open(newFolder(), { sync: 'always' })
  await call(mock.url, 'GET', list)
  const inside = LogFile.prototype
  const { write } = inside
  let isForced = false
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  let go = () => {}
  inside.write = async function (this: LogFile, lines, forced) {
    await write.call(this, lines, forced)
    begin()
    await new Promise<void>((resolve) => {
      go = resolve
    })
    isForced = forced
  }
  const made = call(mock.url, 'POST', create, session('New'))
  await begun
  inside.write = write
  const read = call(mock.url, 'GET', list).then((answer) => [isForced, answer.body.sessions.length])
  await call(mock.url, 'GET', '/__mock/health')
  go()
  expect([(await made).status, await read]).toEqual([200, [true, 1]])
})

test('without --data nothing waits and nothing is recorded', async () => {
  const { Edge } = await import('../../src/engine/keep/edge.js')
  const edge = new Edge()
  const nothing = new Proxy({}, { get: () => expect('looked at').toBe('not looked at') }) as never
  expect(edge.keepRows(nothing, nothing)).toBeUndefined()
  expect(edge.keepAll(nothing)).toBeUndefined()
  expect(edge.countRequest(nothing)).toBeUndefined()
  expect(edge.shown()).toBeUndefined()
})

test('a request in a sandbox that was dropped meanwhile leaves nothing in the log', async () => {
  const data = newFolder()
  const mock = await open(data)
  await call(mock.url, 'POST', create, session('One', 'admin~gone'))
  const late = call(mock.url, 'POST', create, { ...session('Late', 'admin~gone'), headers: { Prefer: 'delay=300' } })
  await call(mock.url, 'GET', '/__mock/health')
  await control(mock.url, 'DELETE', '/sandboxes/gone')
  expect((await late).status).toBe(200)
  await close(mock)
  const again = await open(data)
  expect(again.sandboxes.find('gone')).toBeUndefined()
})
