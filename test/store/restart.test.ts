import { call } from '../mock.js'
import { close, control, create, interceptWrites, names, newFolder, open, records, session } from './kept.js'

const role = '/api/get-user-role'
const idOf = async (url: string, as = 'admin') =>
  Number((await call(url, 'GET', role, { as })).headers.get('x-mock-request-id')?.slice(1))

describe('over a restart', () => {
  test('overrides keep their order, their counts, and whether they are off', async () => {
    const data = newFolder()
    const first = await open(data)
    const add = (body: object) => control(first.url, 'POST', '/overrides', body)
    await add({ operation: 'getUserRole', status: 503, times: 3 })
    await add({ operation: 'getPersona', status: 500 })
    await add({ operation: 'getUserRole', status: 504, times: 1 })
    await add({ operation: 'deletePersona', status: 404 })
    await control(first.url, 'PATCH', '/overrides/o2', { off: true })
    await control(first.url, 'DELETE', '/overrides/o4')
    const ask = async (url: string) => (await call(url, 'GET', role)).status
    expect([await ask(first.url), await ask(first.url)]).toEqual([504, 503])
    await control(first.url, 'POST', '/sandboxes', { name: 'fork', from: 'default' })
    const before = [
      await control(first.url, 'GET', '/overrides'),
      await control(first.url, 'GET', '/overrides', undefined, 'admin~fork')
    ]
    await close(first)

    const second = await open(data)
    const after = [
      await control(second.url, 'GET', '/overrides'),
      await control(second.url, 'GET', '/overrides', undefined, 'admin~fork')
    ]
    expect(after.map(({ text }) => text)).toEqual(before.map(({ text }) => text))
    expect(after[0]?.body.overrides).toMatchObject([
      { id: 'o2', off: true },
      { id: 'o1', used: 1, remaining: 2 }
    ])
    expect([await ask(second.url), await ask(second.url), await ask(second.url)]).toEqual([503, 503, 200])
    expect((await control(second.url, 'POST', '/overrides', { operation: 'deletePersona', status: 404 })).body.id).toBe(
      'o5'
    )
    await control(second.url, 'POST', '/reset')
    await close(second)

    const third = await open(data)
    expect((await control(third.url, 'GET', '/overrides')).body.overrides).toEqual([])
    expect((await control(third.url, 'POST', '/overrides', { operation: 'deletePersona', status: 404 })).body.id).toBe(
      'o1'
    )
  })

  test('the numbers of requests continue, exactly after a stop', async () => {
    const data = newFolder()
    const first = await open(data)
    for (const as of ['admin', 'admin', 'admin', 'admin~other']) await idOf(first.url, as)
    await call(first.url, 'GET', '/nowhere')
    await close(first)
    const second = await open(data)
    expect([await idOf(second.url), await idOf(second.url, 'admin~other')]).toEqual([5, 2])
    await control(second.url, 'POST', '/reset')
    expect(await idOf(second.url)).toBe(1)
    await close(second)
    expect(await idOf((await open(data)).url)).toBe(2)
  })

  test('choices of a sandbox remain, and all others follow the options', async () => {
    const data = newFolder()
    const first = await open(data, { assume: { 'errors.missing': '403-foreign' } })
    await control(first.url, 'PATCH', '/assumptions', { 'delete.body': '204' })
    await close(first)
    const written = records(data).filter(({ op }) => op === 'state' || op === 'set')
    expect(written.at(-1)?.choices).toEqual({ 'delete.body': '204' })

    const second = await open(data, { profile: 'observed' })
    const { body } = await control(second.url, 'GET', '/assumptions')
    const choiceOf = (id: string) => body.assumptions.find((it: { id: string }) => it.id === id)
    expect(choiceOf('delete.body').choice).toBe('204')
    expect(choiceOf('errors.missing').choice).toBe(choiceOf('errors.missing').observed)
  })

  test('a state record has no choice if the sandbox made none', async () => {
    const data = newFolder()
    const mock = await open(data, { profile: 'observed' })
    await call(mock.url, 'POST', create, session('One'))
    expect(records(data).find(({ op }) => op === 'state')?.choices).toEqual({})
  })
})

test('a request costs at most one write, and a read only one in a hundred requests', async () => {
  const mock = await open(newFolder())
  await call(mock.url, 'GET', role)
  let writes = 0
  const end = interceptWrites((_, go) => {
    writes += 1
    return go()
  })
  for (let n = 0; n < 300; n++) await call(mock.url, 'GET', role)
  const reads = writes
  writes = 0
  for (let n = 0; n < 100; n++) await call(mock.url, 'POST', create, session(`${n}`))
  end()
  expect([reads, writes <= 102]).toEqual([2, true])
  expect(await names(mock.url)).toHaveLength(100)
})
