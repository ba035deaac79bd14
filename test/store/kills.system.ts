import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { ended, ready, run, start } from '../cli.js'
import { isSample } from '../extent.js'
import { call } from '../mock.js'
import { control, create, names, newFolder, open, session } from './kept.js'

/** npm run kills tries more. */
const rounds = Number(process.env.KCM_KILLS ?? (isSample ? 4 : 8))

const role = '/api/get-user-role'
const idOf = async (url: string) => Number((await call(url, 'GET', role)).headers.get('x-mock-request-id')?.slice(1))

test(
  '--data loses nothing that was acknowledged or read when the process is killed under load',
  async () => {
    const data = newFolder()
    const acknowledged = new Set<string>()
    for (let round = 0; round < rounds; round++) {
      const child = start(['--port', '0', '--data', data, '--fixtures', 'empty', '--log', 'silent'])
      const done = ended(child)
      const url = await ready(child)
      const kept = await names(url)
      expect([round, [...acknowledged].filter((name) => !kept.includes(name))]).toEqual([round, []])
      expect(new Set(kept).size).toBe(kept.length)
      let answered = 0
      const reads = Array.from({ length: 10 }, async () => {
        for (const name of await names(url).catch(() => [])) acknowledged.add(name)
      })
      const writes = Array.from({ length: 60 }, async (_, n) => {
        const name = `${round}-${n}`
        const answer = await call(url, 'POST', create, session(name)).catch(() => null)
        if (answer?.status === 200) acknowledged.add(name)
        if (++answered === 5 + (round % 8) * 6) child.kill('SIGKILL')
      })
      await Promise.all([...writes, ...reads])
      child.kill('SIGKILL')
      await done
    }
    expect(acknowledged.size).toBeGreaterThan(rounds * 5)
  },
  (rounds + 10) * 60_000
)

test('--data refuses a second process with the number of the first, and starts after one that was killed', async () => {
  const data = newFolder()
  const child = start(['--port', '0', '--data', data, '--fixtures', 'empty'])
  const done = ended(child)
  const url = await ready(child)
  const second = await run(['--port', '0', '--data', data])
  expect([second.code, second.stderr.split('\n')[0]]).toEqual([
    2,
    `error: ${data} is in use by the process ${child.pid} on ${hostname()}`
  ])
  expect((await call(url, 'POST', create, session('Still'))).status).toBe(200)
  child.kill('SIGKILL')
  await done
  const third = await open(data)
  expect(await names(third.url)).toEqual(['Still'])
})

test('an override that broke a connection is counted, too', async () => {
  const data = newFolder()
  const child = start(['--port', '0', '--data', data, '--fixtures', 'empty'])
  const done = ended(child)
  const url = await ready(child)
  await control(url, 'POST', '/overrides', { operation: 'getUserRole', fault: 'CONNECTION_RESET_BY_PEER', times: 1 })
  await expect(call(url, 'GET', role)).rejects.toThrow()
  child.kill('SIGKILL')
  await done
  const again = await open(data)
  expect((await call(again.url, 'GET', role)).status).toBe(200)
})

test('no number of a request is used twice, also after kills', async () => {
  const data = newFolder()
  let last = 0
  for (const count of [1, 250, 3]) {
    const child = start(['--port', '0', '--data', data, '--fixtures', 'empty', '--log', 'silent'])
    const done = ended(child)
    const url = await ready(child)
    // The first of them only asks for an unknown path.
    const first = Number((await call(url, 'GET', '/nowhere')).headers.get('x-mock-request-id')?.slice(1))
    expect(first).toBeGreaterThan(last)
    const ids = await Promise.all(Array.from({ length: count }, () => idOf(url)))
    last = Math.max(first, ...ids)
    child.kill('SIGKILL')
    await done
  }
})

test('a state file has everything that was answered, even after kill -9', async () => {
  const file = join(newFolder(), 'db.json')
  const child = start(['--port', '0', '--fixtures', 'empty', '--data', file])
  const done = ended(child)
  const url = await ready(child)
  const answered: string[] = []
  const sending = Array.from({ length: 8 }, async () => {
    for (;;) {
      const { body } = await call(url, 'POST', create, session('Chat'))
      answered.push(body.chat_session_id)
      if (answered.length > 60) child.kill('SIGKILL')
    }
  })
  await Promise.allSettled(sending)
  await done
  const stored = new Set(
    JSON.parse(readFileSync(file, 'utf8')).collections.chatSessions.map(({ id }: { id: string }) => id)
  )
  expect(answered.filter((id) => !stored.has(id))).toEqual([])
  expect(existsSync(file)).toBe(true)
})
