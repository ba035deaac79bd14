import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLedger } from '../src/mock/assumptions.js'
import { startMock } from '../src/server.js'
import { Edge } from '../src/store/edge.js'
import { createStore, forkStore } from '../src/store/rows.js'
import { ended, ready, start } from './cli.js'
import { call, testNow } from './mock.js'

const folder = () => mkdtempSync(join(tmpdir(), 'kcm-data-'))

describe('a collection', () => {
  const label = (id: number, name = `label ${id}`) => ({ id, name })

  test('forks without copying, and neither side sees what the other writes', () => {
    const one = createStore({ labels: Array.from({ length: 500 }, (_, id) => label(id)) })
    const two = forkStore(one)
    two.labels.put(label(7, 'changed'))
    two.labels.remove(8)
    one.labels.put(label(1000))
    expect([one.labels.get(7)?.name, one.labels.size]).toEqual(['label 7', 501])
    expect([two.labels.get(7)?.name, two.labels.get(8), two.labels.get(1000), two.labels.size]).toEqual([
      'changed',
      undefined,
      undefined,
      499
    ])
    expect(one.labels.get(9)).toBe(two.labels.get(9))
  })

  test('finds by every element of a list, and forgets the elements that are gone', () => {
    const set = {
      id: 1,
      name: '',
      description: '',
      cc_pair_ids: [3, 3, 4],
      is_up_to_date: true,
      is_public: true,
      users: [],
      groups: [],
      federated_connector_summaries: []
    }
    const { documentSets } = createStore({ documentSets: [set] })
    expect([...documentSets.where('byPair', 3)]).toEqual([set])
    documentSets.put({ ...set, cc_pair_ids: [4] })
    expect([documentSets.first('byPair', 3), documentSets.first('byPair', 4)?.id]).toEqual([undefined, 1])
  })
})

describe('--data', () => {
  const asAdmin = { as: 'admin', body: { description: 'Kept' } }
  const names = async (url: string, as = 'admin') =>
    (await call(url, 'GET', '/api/chat/get-user-chat-sessions', { as })).body.sessions.map(
      (it: { name: string }) => it.name
    )

  test('keeps rows, identifiers, clock and sandboxes over a restart', async () => {
    const data = folder()
    const first = await startMock({ port: 0, data, fixtures: 'empty', now: testNow })
    const made = await call(first.url, 'POST', '/api/chat/create-chat-session', asAdmin)
    await call(first.url, 'POST', '/api/chat/create-chat-session', { ...asAdmin, as: 'admin~other' })
    first.sandboxes.use('default').clock.set({ now: Date.parse('2030-01-01') })
    await call(first.url, 'POST', '/api/chat/create-chat-session', asAdmin)
    await first.close()
    const second = await startMock({ port: 0, data, fixtures: 'empty', now: testNow })
    expect([await names(second.url), await names(second.url, 'admin~other')]).toEqual([['Kept', 'Kept'], ['Kept']])
    expect(second.sandboxes.use('default').clock.now).toBe(Date.parse('2030-01-01'))
    const again = await call(second.url, 'POST', '/api/chat/create-chat-session', asAdmin)
    expect(again.body.chat_session_id).not.toBe(made.body.chat_session_id)
    await second.close()
  })

  test('holds a whole state after a kill at any moment, and loses nothing that was written before', async () => {
    const data = folder()
    for (let round = 0; round < 5; round++) {
      const child = start(['--port', '0', '--data', data, '--fixtures', 'empty', '--log', 'silent'])
      const done = ended(child)
      const url = await ready(child)
      const kept = await names(url)
      expect(new Set(kept).size).toBe(kept.length)
      let sent = 0
      const calls = Array.from({ length: 40 }, async () => {
        const answer = await call(url, 'POST', '/api/chat/create-chat-session', {
          body: { description: `${round}-${sent++}` }
        }).catch(() => null)
        if (sent === 20 + round * 4) child.kill('SIGKILL')
        return answer?.status
      })
      await Promise.all(calls)
      child.kill('SIGKILL')
      await done
      if (readdirSync(data).includes('state.json')) {
        const { version, sandboxes } = JSON.parse(readFileSync(join(data, 'state.json'), 'utf8'))
        expect([version, sandboxes.length]).toEqual([1, 1])
        expect(sandboxes[0].collections.chatSessions.length).toBeGreaterThanOrEqual(kept.length)
      }
    }
  })

  test('refuses a file that is no state of the mock, and leaves it as it is', async () => {
    const data = folder()
    for (const text of [
      '{"version": 99}',
      'nonsense',
      '{"version": 1, "sandboxes": 7}',
      '{"version": 1, "sandboxes": [{}]}'
    ]) {
      writeFileSync(join(data, 'state.json'), text)
      await expect(Edge.inFolder(data, { entries: 10, bytes: 1000 }, readLedger())).rejects.toThrow(
        'state.json is not a state of this mock'
      )
      expect(readFileSync(join(data, 'state.json'), 'utf8')).toBe(text)
    }
  })
})
