import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { RunningMock } from '../../src/doors/program/open-mock.js'
import { call } from '../mock.js'
import { close, control, create, log, logOf, mark, names, newFolder, open, records, session } from './kept.js'

test('--data records at once that an idle sandbox was dropped, also if no write follows', async () => {
  const data = newFolder()
  const first = await open(data, { sandboxIdle: 60 })
  for (const as of ['admin~idle', 'admin~again', 'admin~used'])
    await call(first.url, 'POST', create, session('Kept', as))
  for (const name of ['idle', 'again']) first.sandboxes.use(name).usedAt -= 61_000
  for (const name of ['default', 'used']) first.sandboxes.use(name)
  await call(first.url, 'GET', '/api/get-user-role', { as: 'admin~used' })
  await control(first.url, 'POST', '/sandboxes', { name: 'again' })
  await call(first.url, 'POST', create, session('New', 'admin~again'))
  await close(first)
  expect(records(data).filter(({ op }) => op === 'drop')).toHaveLength(2)

  const second = await open(data)
  expect(second.sandboxes.find('idle')).toBeUndefined()
  expect([await names(second.url, 'admin~again'), await names(second.url, 'admin~used')]).toEqual([['New'], ['Kept']])
})

test('--data records that a visitor was dropped for another', async () => {
  const data = newFolder()
  const options = { public: true, maxSandboxes: 3, fixtures: 'empty' } as const
  const first = await open(data, options)
  for (const as of ['admin~one', 'admin~two', 'admin~three']) await call(first.url, 'POST', create, session('Kept', as))
  await close(first)
  const second = await open(data, options)
  expect(
    second.sandboxes
      .list()
      .map(({ name }) => name)
      .sort()
  ).toEqual(['three', 'two'])
})

test('--data keeps rows, identifiers, clock, choices, snapshots and sandboxes over a restart', async () => {
  const data = newFolder()
  const first = await open(data)
  const made = await call(first.url, 'POST', create, session('Kept'))
  await call(first.url, 'POST', create, session('Other', 'admin~other'))
  await control(first.url, 'POST', '/snapshots/one')
  await control(first.url, 'PUT', '/clock', { now: '2030-01-01T00:00:00Z' })
  await control(first.url, 'PATCH', '/assumptions', { 'delete.body': '204' })
  await call(first.url, 'POST', create, session('Later'))
  await control(first.url, 'POST', '/sandboxes', { name: 'fork', from: 'other' })
  await control(first.url, 'POST', '/sandboxes', { name: 'gone', from: 'other' })
  await control(first.url, 'DELETE', '/sandboxes/gone')
  await control(first.url, 'POST', '/state/labels', { name: 'Made by hand' })
  const before = await control(first.url, 'GET', '/state')
  await close(first)

  const second = await open(data)
  expect(await control(second.url, 'GET', '/state')).toMatchObject({ text: before.text })
  expect([
    await names(second.url),
    await names(second.url, 'admin~other'),
    await names(second.url, 'admin~fork')
  ]).toEqual([['Later', 'Kept'], ['Other'], ['Other']])
  const { body } = await control(second.url, 'GET', '/sandboxes')
  expect(body.sandboxes.map((it: { name: string }) => it.name).sort()).toEqual(['default', 'fork', 'other'])
  const again = await call(second.url, 'POST', create, session('New'))
  expect(again.body.chat_session_id).not.toBe(made.body.chat_session_id)
  expect((await call(second.url, 'DELETE', `/api/chat/delete-chat-session/${made.body.chat_session_id}`)).status).toBe(
    204
  )
  await control(second.url, 'POST', '/snapshots/one/restore')
  expect(await names(second.url)).toEqual(['Kept'])
  await control(second.url, 'DELETE', '/snapshots/one')
  await control(second.url, 'POST', '/reset')
  await close(second)

  const third = await open(data)
  expect([await names(third.url), await names(third.url, 'admin~other')]).toEqual([[], ['Other']])
  expect((await control(third.url, 'GET', '/snapshots')).body).toEqual({ snapshots: [] })
})

test('--data never reuses an identifier, not even one that no row has', async () => {
  const data = newFolder()
  const upload = async ({ url }: RunningMock) => {
    const form = new FormData()
    form.append('files', new File(['text'], 'a.txt'))
    const { body } = await call(url, 'POST', '/api/manage/admin/connector/file/upload', { form })
    return body.file_paths[0] as string
  }
  const first = await open(data)
  await call(first.url, 'POST', create, session('Kept'))
  const given = [await upload(first), await upload(first)]
  const before = await control(first.url, 'GET', '/state')
  await close(first)
  const second = await open(data)
  expect(await control(second.url, 'GET', '/state')).toMatchObject({ text: before.text })
  const made = await call(second.url, 'POST', create, session('Later'))
  expect(new Set([...given, await upload(second), made.body.chat_session_id]).size).toBe(4)
})

test('--data keeps a sandbox that was only read', async () => {
  const data = newFolder()
  const options = { fixtures: 'demo', now: '2026-03-02T10:00:00Z' } as const
  const projects = ({ url }: RunningMock) => call(url, 'GET', '/api/user/projects/', { as: 'basic~reader' })
  const first = await open(data, options)
  const { text } = await projects(first)
  await close(first)
  const second = await open(data, { ...options, now: '2026-03-05T10:00:00Z' })
  expect((await projects(second)).text).toBe(text)
})

test('--data keeps a state that was put from outside', async () => {
  const data = newFolder()
  const first = await open(data)
  const { body: state } = await control(first.url, 'GET', '/state')
  state.collections.labels = [{ id: 7, name: 'From outside' }]
  expect((await control(first.url, 'PUT', '/state', state)).status).toBe(200)
  await close(first)
  const second = await open(data)
  expect((await control(second.url, 'GET', '/state/labels')).body.rows).toEqual(state.collections.labels)
})

test.each([
  ['{"version": 99}', 'it begins with something else'],
  ['nonsense\nof some lines\n', 'it begins with something else'],
  [
    logOf([{ op: 'header', format: 99, version: '9.0.0', contract: '' }]),
    'it has the format 99; this version reads the format 2'
  ],
  [logOf([{ op: 'drop', sandbox: 'a' }]), 'it has no header; this version reads the format 2']
])('--data refuses a file that is no state of the mock, and leaves it as it is: %s', async (text, reason) => {
  const data = newFolder()
  writeFileSync(log(data), text)
  await expect(open(data)).rejects.toThrow(`${log(data)} is not a state of this mock: ${reason}`)
  expect(readFileSync(log(data), 'utf8')).toBe(text)
  await expect(open(newFolder())).resolves.toBeDefined()
})

test('--data loads rows from other contracts if they satisfy these, and otherwise refuses them by name', async () => {
  for (const [name, message] of [
    ['Sales', undefined],
    [7, 'in the sandbox default, labels 1, field name: Input should be a valid string']
  ] as const) {
    const data = newFolder()
    const first = await open(data)
    await control(first.url, 'POST', '/state/labels', { id: 1, name: 'Sales' })
    await close(first)
    const changed = records(data).map((record) => {
      if (record.op === 'header') return { ...record, contract: 'another', version: '0.0.9' }
      return record.op === 'state'
        ? { ...record, put: { ...(record.put as object), labels: [{ id: 1, name }] } }
        : record
    })
    const text = logOf(changed)
    writeFileSync(log(data), text)
    rmSync(mark(data))
    if (message === undefined) {
      const second = await open(data, { onProblem: () => {} })
      expect((await control(second.url, 'GET', '/state/labels')).body.rows).toEqual([{ id: 1, name }])
      expect(records(data)[0]?.contract).not.toBe('another')
    } else {
      const error = `it was written for other contracts (by version 0.0.9): ${message}`
      await expect(open(data)).rejects.toThrow(error)
      expect(readFileSync(log(data), 'utf8')).toBe(text)
    }
  }
})

test('--data is rewritten when most of it is no longer needed, while requests continue', async () => {
  const data = newFolder()
  const first = await open(data, { assume: { 'limits.text': 'none' } })
  const big = 'x'.repeat(200_000)
  for (let n = 0; n < 80; n++) {
    const [made] = await Promise.all([
      control(first.url, 'POST', '/state/labels', { name: big }),
      call(first.url, 'POST', create, session(`${n}`, 'admin~other'))
    ])
    await control(first.url, 'DELETE', `/state/labels/${made.body.id}`)
  }
  await close(first)
  expect(statSync(log(data)).size).toBeLessThan(12 * 1024 * 1024)
  const second = await open(data)
  expect((await control(second.url, 'GET', '/state/labels')).body.rows).toEqual([])
  expect(await names(second.url, 'admin~other')).toHaveLength(80)
})
