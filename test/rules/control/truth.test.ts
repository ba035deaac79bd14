import fc from 'fast-check'
import type { State } from '../../../src/engine/contract/types.gen.js'
import { Client } from '../../client.js'
import { isSample } from '../../extent.js'
import { startTestMock, testNow } from '../../mock.js'
import { Play } from '../../property/play.js'
import { seed, sequences } from '../../property/steps.js'

const mock = await startTestMock()
const box = mock.handle('true')
const copy = mock.handle('copy')
beforeEach(() => void [box.reset(), copy.reset()])

const ask = (method: string, path: string, body?: unknown, sandbox = 'true') =>
  mock.call(method, `/__mock/${path}`, { as: `admin~${sandbox}`, body })
const bytes = async (sandbox = 'true') => (await ask('GET', 'state', undefined, sandbox)).text
const fileIn = (state: State, id: string) =>
  (state.collections.userFiles as { id: string }[]).find((it) => it.id === id)

test('a file after its time is COMPLETED everywhere, with its stored values under stored', async () => {
  const { id } = box.create('userFiles', 'processing')
  const status = async () => [
    (await ask('GET', `state/userFiles/${id}`)).body.status,
    box.rows('userFiles').find((it) => it.id === id)?.status,
    (fileIn(box.state, id) as { status?: string }).status,
    (await ask('GET', `state/userFiles?q=${id}`)).body.rows[0].status
  ]
  expect(await status()).toEqual(Array(4).fill('PROCESSING'))
  expect(box.state.stored?.userFiles?.[id]).toBeUndefined()
  box.clock.advance('3s')
  expect(await status()).toEqual(Array(4).fill('COMPLETED'))
  expect(box.state.stored?.userFiles?.[id]).toEqual({ status: 'PROCESSING' })
  expect((await ask('GET', `state/userFiles?q=${id}`)).body.stored).toEqual({ [id]: { status: 'PROCESSING' } })
  expect((await ask('GET', `state/userFiles/${id}?stored=true`)).body.status).toBe('PROCESSING')
  box.assume({ 'files.lifecycle': 'manual' })
  expect(await status()).toEqual(Array(4).fill('PROCESSING'))
})

test('a deleted file is gone everywhere, also from projects and agents', async () => {
  const file = box.create('userFiles', 'deleting')
  const link = box.create('projectFiles', { user_file_id: file.id })
  const agent = box.create('personas', { user_file_ids: [file.id] })
  const counts = async () =>
    (await ask('GET', 'collections')).body.collections
      .filter(({ name }: { name: string }) => name === 'userFiles' || name === 'projectFiles')
      .map(({ rows }: { rows: number }) => rows)
  const [files, links] = await counts()
  expect((await ask('GET', `state/userFiles/${file.id}`)).status).toBe(200)
  // The fixtures have files that are gone by then, too.
  const going = box
    .rows('userFiles')
    .filter((it) => it.status === 'DELETING' && (it.settles_at as string) < '2026-03-02T10:00:03')
  box.clock.advance('3s')
  expect((await ask('GET', `state/userFiles/${file.id}`)).status).toBe(404)
  expect(await counts()).toEqual([box.rows('userFiles').length, box.rows('projectFiles').length])
  expect(await counts()).toEqual([(files as number) - going.length, (links as number) - 1])
  expect(box.rows('projectFiles').map(({ id }) => id)).not.toContain(link.id)
  expect(box.rows('personas').find(({ id }) => id === agent.id)?.user_file_ids).toEqual([])
  expect(box.state.stored?.userFiles?.[file.id]).toEqual(file)
  expect((await mock.call('GET', `/api/persona/${agent.id}`, { as: 'basic~true' })).body.user_file_ids).toEqual([])
})

test('an association has the status that its attempts give it, as in the report', async () => {
  const { id } = box.create('connectorCredentials', 'scheduled')
  const row = () => box.rows('connectorCredentials').find((it) => it.id === id)
  expect(row()).toMatchObject({ status: 'SCHEDULED', docs_indexed: 0, last_success: null })
  box.clock.advance('3s')
  expect(row()?.status).toBe('INITIAL_INDEXING')
  box.clock.advance('1m')
  expect(row()).toMatchObject({ status: 'ACTIVE', last_success: '2026-03-02T10:00:06.000Z' })
  const { body } = await mock.call('POST', '/api/manage/admin/connector/indexing-status', {
    as: 'admin~true',
    body: { get_all_connectors: true }
  })
  const shown = JSON.stringify(body).match(new RegExp(`\\{"cc_pair_id":${id},[^}]*\\}`))?.[0] as string
  expect(JSON.parse(shown)).toMatchObject({ cc_pair_status: 'ACTIVE', docs_indexed: row()?.docs_indexed })
})

test('a state that is put back is the same, byte for byte, whatever the clock has changed', async () => {
  const client = new Client(mock.url)
  let count = 0
  const same = fc.asyncProperty(sequences(15), fc.integer({ min: 0, max: 400_000 }), async (calls, advance) => {
    const [one, two] = [`one-${++count}`, `two-${count}`]
    await new Play(client, mock.sandboxNamed(one)).run(calls)
    const handle = mock.handle(one)
    handle.create('userFiles', 'deleting')
    handle.create('connectorCredentials', 'scheduled')
    handle.clock.advance(advance)
    const before = await bytes(one)
    expect((await ask('PUT', 'state', before, two)).status).toBe(200)
    expect(await bytes(two)).toBe(before)
    // The stored rows are equal, too: both go back in the same way.
    for (const name of [one, two]) mock.handle(name).clock.now = testNow
    expect(await bytes(two)).toBe(await bytes(one))
  })
  await fc.assert(same, { seed, numRuns: isSample ? 5 : 15 })
  client.close()
})

test('a change to a value that a state shows replaces the stored one', async () => {
  const { id } = box.create('userFiles', 'processing')
  const gone = box.create('userFiles', 'deleting')
  box.clock.advance('5s')
  const state = box.state
  Object.assign(fileIn(state, id) as object, { status: 'FAILED' })
  copy.state = state
  expect((await ask('GET', `state/userFiles/${id}?stored=true`, undefined, 'copy')).body.status).toBe('FAILED')
  expect(copy.state.stored?.userFiles?.[gone.id]).toEqual(gone)
  const { stored: _, ...shown } = box.state
  copy.state = shown
  expect(copy.state.collections.userFiles).toEqual(box.state.collections.userFiles)
  expect(copy.state.stored?.userFiles).toBeUndefined()
})

test('stored data of an unknown collection is refused', async () => {
  const before = await bytes()
  const { status, body } = await ask('PUT', 'state', { ...JSON.parse(before), stored: { tables: {} } })
  expect([status, body.errors[0].field]).toEqual([400, 'stored.tables'])
  expect(await bytes()).toBe(before)
})

test('relative times are the same at any other time', async () => {
  const { body } = await ask('GET', 'state?relative=true')
  expect(body.now).toBeUndefined()
  expect(JSON.stringify(body)).not.toMatch(/"20\d\d-\d\d-\d\dT/)
  await ask('PUT', 'state', { ...body, now: testNow }, 'copy')
  expect(await bytes('copy')).toBe(await bytes())
  await ask('PUT', 'state', { ...body, now: '2030-01-01T00:00:00.000Z' }, 'copy')
  expect((await ask('GET', 'state?relative=true', undefined, 'copy')).body).toEqual(body)
})

const move = (path: string, to: unknown) => ask('POST', `lifecycles/${path}`, { to })

test.each(['PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED', 'DELETING'])(
  'a move of a row makes a file %s at once',
  async (to) => {
    for (const trait of ['processing', 'failed', 'deleting'] as const) {
      const { id } = box.create('userFiles', trait)
      const { status, body } = await move(`userFiles/${id}`, to)
      const shown = (await mock.call('GET', `/api/user/projects/file/${id}`, { as: 'basic~true' })).body
      expect([trait, status, body.status, shown.status]).toEqual([trait, 200, to, to])
      if (to === 'COMPLETED') expect(shown.token_count).toBeGreaterThan(0)
    }
  }
)

test('a move of a row removes a file, also from its projects', async () => {
  const link = box.create('projectFiles')
  expect((await move(`userFiles/${link.user_file_id}`, 'gone')).body).toEqual({ id: link.user_file_id })
  expect((await ask('GET', `state/userFiles/${link.user_file_id}`)).status).toBe(404)
  expect(box.rows('projectFiles').map(({ id }) => id)).not.toContain(link.id)
})

test.each(['clock', 'manual'])(
  'a move of a row sets the status of an attempt under indexing.lifecycle=%s',
  async (choice) => {
    box.assume({ 'indexing.lifecycle': choice as 'clock' })
    const pair = box.create('connectorCredentials', 'scheduled')
    const [attempt] = box.rows('indexAttempts').filter((it) => it.connector_credential_id === pair.id)
    const id = attempt?.id as number
    const status = async () => {
      const { body } = await mock.call('POST', '/api/manage/admin/connector/indexing-status', {
        as: 'admin~true',
        body: { get_all_connectors: true }
      })
      const shown = JSON.stringify(body).match(new RegExp(`\\{"cc_pair_id":${pair.id},[^}]*\\}`))?.[0] as string
      return JSON.parse(shown).last_status
    }
    for (const to of [
      'in_progress',
      'failed',
      'not_started',
      'canceled',
      'completed_with_errors',
      'success'
    ] as const) {
      box.move('indexAttempts', id, to)
      expect(await status()).toBe(to)
    }
    expect(box.rows('connectorCredentials').find((it) => it.id === pair.id)?.status).toBe('ACTIVE')
  }
)

test('a move of a row makes an association ACTIVE, PAUSED, INVALID or DELETING, and ends its attempt', () => {
  for (const to of ['ACTIVE', 'PAUSED', 'INVALID', 'DELETING'] as const) {
    const { id } = box.create('connectorCredentials', 'indexing')
    box.move('connectorCredentials', id, to)
    expect(box.rows('connectorCredentials').find((it) => it.id === id)?.status).toBe(to)
    const [attempt] = box.rows('indexAttempts').filter((it) => it.connector_credential_id === id)
    expect(attempt?.settles_at).toBe(testNow)
  }
})

test('a move of a row to an unknown status, or of an unknown collection or id, is refused with the good ones', async () => {
  const before = await bytes()
  const { id } = box.rows('userFiles')[0] as { id: string }
  const known = ['PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED', 'DELETING', 'gone']
  expect((await move(`userFiles/${id}`, 'DONE')).body.errors).toEqual([
    { field: 'to', detail: `userFiles cannot become "DONE". Good values: ${known.join(', ')}.`, allowed: known }
  ])
  const having = ['userFiles', 'indexAttempts', 'connectorCredentials']
  for (const name of ['labels', 'constructor', 'tables']) {
    expect((await move(`${name}/1`, 'FAILED')).body.errors).toEqual([
      {
        field: 'collection',
        detail: `${name} has no lifecycle. Collections with one: ${having.join(', ')}.`,
        allowed: having
      }
    ])
  }
  expect((await move('userFiles/none', 'FAILED')).status).toBe(404)
  expect((await move(`userFiles/${id}`, undefined)).body.errors[0].field).toBe('to')
  expect(await bytes()).toBe(before)
})
