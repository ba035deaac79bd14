import { startTestMock } from '../mock.js'

/** The file that the contract's examples name: the administrator's, linked to project 1. */
const file = 'a87ff679-a2f3-471d-9181-a67b7542122c'
const project = 2

const mock = await startTestMock()
const { rows } = mock.sandbox

function links(): number {
  return [...rows.projectFiles.where('byProject', project)].filter((it) => it.user_file_id === file).length
}

const link = () => mock.call('POST', `/api/user/projects/${project}/files/${file}`)

function atOnce<Answer>(count: number, ask: () => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, ask))
}

async function listed(): Promise<string[]> {
  const { body } = await mock.call('GET', `/api/user/projects/${project}/details`)
  return body.files.map(({ id }: { id: string }) => id).filter((id: string) => id === file)
}

test('a file that is linked twice to a project is linked once', async () => {
  expect([links(), await listed()]).toEqual([0, []])
  const [first, second] = [await link(), await link()]
  expect([first.status, second.status, second.text]).toEqual([200, 200, first.text])
  expect([links(), await listed()]).toEqual([1, [file]])
})

test('a file that is linked 20 times at once is linked once', async () => {
  for (const row of [...rows.projectFiles.where('byFile', file)]) rows.projectFiles.remove(row.id)
  const answers = await atOnce(20, link)
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers[0]?.body).toMatchObject({ id: file, project_id: project })
  expect([links(), await listed()]).toEqual([1, [file]])
})

test('a credential that is associated 20 times at once is associated once', async () => {
  const before = rows.connectorCredentials.size
  const answers = await atOnce(20, () => mock.call('PUT', '/api/manage/connector/3/credential/0', { body: {} }))
  expect(answers.filter(({ body }) => body.success)).toHaveLength(1)
  expect(new Set(answers.map(({ body }) => body.data)).size).toBe(1)
  expect(rows.connectorCredentials.size).toBe(before + 1)
})

test('an association never reuses an id, not even one from the initial state', async () => {
  const { call, sandbox } = await startTestMock()
  const last = [...sandbox.rows.connectorCredentials.all()].at(-1)
  const owner = sandbox.rows.credentials.get(last?.credential_id as number)?.user_id as string
  const as = sandbox.rows.users.get(owner)?.key as string
  const path = `/api/manage/connector/${last?.connector_id}/credential/${last?.credential_id}`
  expect((await call('DELETE', path, { as })).body.success).toBe(true)
  expect((await call('PUT', path, { as, body: {} })).body.data).toBe((last?.id as number) + 1)
})

describe('of a thousand addresses', () => {
  const good = Array.from({ length: 1000 }, (_, at) => `colleague.${at}@example.com`)
  const invite = (emails: string[]) => mock.call('PUT', '/api/manage/admin/users', { body: { emails } })

  test.each([0, 500, 999])('no user is invited when the address at %i is bad', async (at) => {
    const before = JSON.stringify(rows.invites)
    const answer = await invite(good.with(at, 'colleague@'))
    expect([answer.status, answer.body]).toEqual([
      400,
      { detail: 'Invalid email address: colleague@ - There must be something after the @-sign.' }
    ])
    expect(JSON.stringify(rows.invites)).toBe(before)
  })

  test('all are invited once when all are good, also when requested 20 times at once', async () => {
    const before = rows.invites.size
    const answers = await atOnce(20, () => invite(good))
    expect(new Set(answers.map(({ body }) => body))).toEqual(new Set([before + 1000]))
    expect(rows.invites.size).toBe(before + 1000)
  })
})
