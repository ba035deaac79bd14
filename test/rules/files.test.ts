import type { Rows, UserFileStatus } from '../../src/apis/knowledge-chat/types.gen.js'
import { rowsOf } from '../../src/engine/sandbox/sandbox.js'
import { startTestMock, type TestMock } from '../mock.js'

type File = Rows['userFiles']

const mock = await startTestMock()

function fileOf(from: TestMock, status: UserFileStatus, test: (file: File) => boolean = () => true): File {
  const { rows } = from.sandbox
  const admin = rows.users.first('byKey', 'admin')?.id as string
  const found = [...rows.userFiles.where('byUser', admin)].find((file) => file.status === status && test(file))
  if (!found) throw new Error(`the fixtures have no ${status} file of admin`)
  return found
}

const read = (from: TestMock, id: string, as = 'admin') => from.call('GET', `/api/user/projects/file/${id}`, { as })

const seconds = (from: TestMock, count: number) => {
  const { clock } = from.sandbox
  clock.set({ now: clock.now + count * 1000 })
}

test.each(['PROCESSING', 'COMPLETED', 'FAILED', 'CANCELED', 'DELETING'] as const)(
  'reading a file answers for a file that is %s',
  async (status) => {
    const { id, name } = fileOf(mock, status)
    const answer = await read(mock, id)
    expect([answer.status, answer.body.status, answer.body.name]).toEqual([200, status, name])
  }
)

test('reading a file accepts the id in every form of a UUID', async () => {
  const { id } = fileOf(mock, 'COMPLETED')
  for (const form of [id.toUpperCase(), id.replaceAll('-', ''), `{${id}}`, `urn:uuid:${id}`]) {
    expect((await read(mock, encodeURIComponent(form))).body.id).toBe(id)
  }
})

test('reading a file is a 404 for a file of another user, also for an administrator, and a 403 if foreign rows are revealed', async () => {
  const { id } = fileOf(mock, 'COMPLETED')
  const { status, body } = await read(mock, id, 'basic')
  expect([status, body]).toEqual([404, { detail: 'File not found' }])
  const telling = await startTestMock({ assume: { 'errors.missing': '403-foreign' } })
  expect((await read(telling, id, 'basic')).status).toBe(403)
  expect((await read(telling, '00000000-0000-4000-8000-000000000000', 'basic')).status).toBe(404)
})

const isQuick =
  ({ settles_as }: File) =>
  (outcome: UserFileStatus) =>
    settles_as === outcome
const quick = (from: TestMock, outcome: UserFileStatus) =>
  fileOf(
    from,
    'PROCESSING',
    (file) => isQuick(file)(outcome) && Date.parse(file.settles_at as string) - from.sandbox.clock.now <= 3000
  )

test('a PROCESSING file gets its final status after three seconds of the clock, to the millisecond', async () => {
  const from = await startTestMock()
  const files = (['COMPLETED', 'FAILED', 'CANCELED'] as const).map(
    (outcome) => [outcome, quick(from, outcome).id] as const
  )
  seconds(from, 2.999)
  for (const [, id] of files) expect((await read(from, id)).body.status).toBe('PROCESSING')
  seconds(from, 0.001)
  for (const [outcome, id] of files) {
    const { body, headers } = await read(from, id)
    expect([
      body.status,
      body.token_count !== undefined,
      headers.get('x-mock-assumed')?.includes('files.lifecycle')
    ]).toEqual([outcome, outcome === 'COMPLETED', true])
  }
})

test('a PROCESSING file returns to PROCESSING when the clock goes back', async () => {
  const from = await startTestMock()
  const { id } = quick(from, 'FAILED')
  seconds(from, 10)
  expect((await read(from, id)).body.status).toBe('FAILED')
  seconds(from, -10)
  expect((await read(from, id)).body.status).toBe('PROCESSING')
})

test('a PROCESSING file has its final status at once under files.lifecycle=immediate, and never under manual', async () => {
  const immediate = await startTestMock({ assume: { 'files.lifecycle': 'immediate' } })
  expect((await read(immediate, quick(immediate, 'FAILED').id)).body.status).toBe('FAILED')
  const manual = await startTestMock({ assume: { 'files.lifecycle': 'manual' } })
  seconds(manual, 100_000)
  expect((await read(manual, fileOf(manual, 'PROCESSING').id)).body.status).toBe('PROCESSING')
})

test('a PROCESSING file is PROCESSING for the first two reads under files.lifecycle=after-2-reads', async () => {
  const from = await startTestMock({ assume: { 'files.lifecycle': 'after-2-reads' } })
  const { id } = quick(from, 'COMPLETED')
  const statuses = []
  for (let i = 0; i < 4; i++) statuses.push((await read(from, id)).body.status)
  expect(statuses).toEqual(['PROCESSING', 'PROCESSING', 'COMPLETED', 'COMPLETED'])
})

const linkedFile = (from: TestMock) =>
  fileOf(from, 'COMPLETED', ({ id }) => {
    const { projectFiles, personas } = from.sandbox.rows
    return projectFiles.first('byFile', id) !== undefined && personas.first('byFile', id) !== undefined
  })
const remove = (from: TestMock, id: string, as = 'admin') =>
  from.call('DELETE', `/api/user/projects/file/${id}`, { as })

test('deleting a file removes it from its projects and agents, and names them', async () => {
  const from = await startTestMock()
  const { rows } = from.sandbox
  const { id } = linkedFile(from)
  const projects = [...rows.projectFiles.where('byFile', id)].map((link) => rows.projects.get(link.project_id))
  const personas = [...rows.personas.where('byFile', id)]
  const { status, body } = await remove(from, id)
  expect([status, body]).toEqual([
    200,
    {
      has_associations: false,
      project_names: projects.map((it) => it?.name),
      assistant_names: personas.map((it) => it.name)
    }
  ])
  expect([rows.projectFiles.first('byFile', id), rows.personas.first('byFile', id)]).toEqual([undefined, undefined])
  for (const project of projects) {
    const details = await from.call('GET', `/api/user/projects/${project?.id}/details`)
    expect(details.body.files.map((file: File) => file.id)).not.toContain(id)
  }
  for (const persona of personas) {
    expect((await from.call('GET', `/api/persona/${persona.id}`)).body.user_file_ids).not.toContain(id)
  }
})

test('deleting a file leaves it DELETING and readable for two seconds of the clock, then gone', async () => {
  const from = await startTestMock()
  const { id } = linkedFile(from)
  await remove(from, id)
  seconds(from, 1.999)
  expect((await read(from, id)).body.status).toBe('DELETING')
  expect((await remove(from, id)).body).toEqual({ has_associations: false, project_names: [], assistant_names: [] })
  seconds(from, 0.001)
  expect([(await read(from, id)).status, (await remove(from, id)).status]).toEqual([404, 404])
})

test('deleting a file hides it from reads but not from deletion under files.deleting=hidden, and from both under removed', async () => {
  const hidden = await startTestMock({ assume: { 'files.deleting': 'hidden' } })
  const { id } = linkedFile(hidden)
  await remove(hidden, id)
  expect([(await read(hidden, id)).status, (await remove(hidden, id)).status]).toEqual([404, 200])
  const removed = await startTestMock({ assume: { 'files.deleting': 'removed' } })
  await remove(removed, id)
  expect([(await read(removed, id)).status, (await remove(removed, id)).status]).toEqual([404, 404])
})

test('deleting a file for a second time counts as missing if files.deletion-again says so', async () => {
  const from = await startTestMock({ assume: { 'files.deletion-again': 'missing' } })
  const { id } = linkedFile(from)
  expect([(await remove(from, id)).status, (await remove(from, id)).status]).toEqual([200, 404])
  expect((await read(from, id)).body.status).toBe('DELETING')
})

test('deleting a file reports that it was linked under files.deletion-report=before', async () => {
  const from = await startTestMock({ assume: { 'files.deletion-report': 'before' } })
  const { id } = linkedFile(from)
  const { body, headers } = await remove(from, id)
  expect([body.has_associations, from.sandbox.rows.userFiles.get(id)?.status]).toEqual([true, 'DELETING'])
  expect(headers.get('x-mock-assumed')).toContain('files.deletion-report')
  expect((await remove(from, id)).body.has_associations).toBe(false)
})

test('deleting a file changes nothing while it is linked under files.deletion=refused', async () => {
  const from = await startTestMock({ assume: { 'files.deletion': 'refused' } })
  const { id } = linkedFile(from)
  const before = JSON.stringify(rowsOf(from.sandbox.rows))
  const { status, body, headers } = await remove(from, id)
  expect([status, body.has_associations]).toEqual([200, true])
  expect(headers.get('x-mock-assumed')).toBe('files.assistants, files.deletion')
  expect(JSON.stringify(rowsOf(from.sandbox.rows))).toBe(before)
  const free = fileOf(
    from,
    'COMPLETED',
    (file) =>
      !from.sandbox.rows.projectFiles.first('byFile', file.id) && !from.sandbox.rows.personas.first('byFile', file.id)
  )
  expect((await remove(from, free.id)).body.has_associations).toBe(false)
  expect(from.sandbox.rows.userFiles.get(free.id)?.status).toBe('DELETING')
})

test('deleting a file of another user changes nothing', async () => {
  const { id } = fileOf(mock, 'COMPLETED')
  expect((await remove(mock, id, 'curator')).status).toBe(404)
  expect(mock.sandbox.rows.userFiles.get(id)?.status).toBe('COMPLETED')
})
