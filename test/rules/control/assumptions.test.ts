import { startTestMock } from '../../mock.js'

const mock = await startTestMock()
const ask = (method: string, path: string, sandbox: string, body?: unknown) =>
  mock.call(method, path, { as: `admin~${sandbox}`, body })
const change = (sandbox: string, body: unknown) => ask('PATCH', '/__mock/assumptions', sandbox, body)
const choicesOf = (sandbox: string) => JSON.stringify(mock.sandboxNamed(sandbox).choices)

test('the ledger lists each entry with the current choice', async () => {
  const { assumptions } = (await ask('GET', '/__mock/assumptions', 'listed')).body
  expect(assumptions.length).toBeGreaterThan(50)
  for (const { id, choice, ...entry } of assumptions) expect([id, choice]).toEqual([id, entry.default])
})

test('a choice changes the answers of the platform at once, in its sandbox only, until a reset', async () => {
  const file = 'a87ff679-a2f3-471d-9181-a67b7542122c'
  const remove = (sandbox: string) => ask('DELETE', `/api/user/projects/file/${file}`, sandbox)
  const { body } = await change('one', { 'files.deletion': 'refused', 'delete.body': '204' })
  const changed = body.assumptions.filter((it: { choice: string; default: string }) => it.choice !== it.default)
  expect(changed.map(({ id }: { id: string }) => id).sort()).toEqual(['delete.body', 'files.deletion'])
  await remove('one')
  await remove('two')
  const statusOf = (sandbox: string) => mock.sandboxNamed(sandbox).rows.userFiles.get(file)?.status
  expect([statusOf('one'), statusOf('two')]).toEqual(['COMPLETED', 'DELETING'])
  expect((await ask('DELETE', '/api/persona/1', 'one')).status).toBe(204)
  expect((await ask('DELETE', '/api/persona/1', 'two')).status).toBe(200)
  await ask('POST', '/__mock/reset', 'one')
  await remove('one')
  expect(statusOf('one')).toBe('DELETING')
})

test('documented and observed select the choices of the profiles', async () => {
  await change('profiles', { 'errors.missing': 'observed' })
  const { assumptions } = (await ask('GET', '/__mock/assumptions', 'profiles')).body
  const entry = assumptions.find(({ id }: { id: string }) => id === 'errors.missing')
  expect(entry.choice).toBe(entry.observed)
  await change('profiles', { 'errors.missing': 'documented' })
  expect(mock.sandboxNamed('profiles').choices['errors.missing']).toBe(entry.default)
})

test.each([
  [{ 'files.deletion': 'sometimes' }, 'files.deletion', ['unlinked', 'refused']],
  [{ 'files.deleted': 'refused' }, 'files.deleted', undefined],
  [{ 'files.deletion': 5 }, 'files.deletion', undefined],
  [{ 'delete.body': '204', 'files.deletion': 'sometimes' }, 'files.deletion', ['unlinked', 'refused']],
  ['{"__proto__": "refused"}', '__proto__', undefined],
  [{ constructor: 'refused' }, 'constructor', undefined],
  [[], 'body', undefined]
])('%j is refused with its place, and changes nothing', async (choices, field, allowed) => {
  const before = choicesOf('wrong')
  const { status, body } = await change('wrong', choices)
  expect([status, body.errors[0].field, body.errors[0].allowed]).toEqual([400, field, allowed])
  expect(choicesOf('wrong')).toBe(before)
})

test('a misspelt id is refused with similar ids', async () => {
  const { body } = await change('near', { 'files.deleted': 'refused' })
  expect(body.errors[0].detail).toMatch(/^There is no assumption "files\.deleted"\. Did you mean files\.\w+/)
})

test('a limit of 0 on uploads can be changed again', async () => {
  const none = 'files:0,total:0,json:0,entries:0,unpacked:0'
  expect((await change('tight', { 'limits.upload': none })).status).toBe(200)
  expect(choicesOf('tight')).toContain(none)
  expect((await change('tight', { 'limits.upload': 'standard' })).status).toBe(200)
  expect(choicesOf('tight')).not.toContain(none)
})
