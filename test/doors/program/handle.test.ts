import { createMock, verify } from '../../../src/index.js'
import { toHaveNoViolations, toHonourContract } from '../../../src/matchers.js'
import { startTestMock } from '../../mock.js'

const mock = await startTestMock({
  seed: undefined,
  fixtures: undefined,
  assume: { 'files.deletion': undefined } as never
})
const box = mock.handle('own')

test.each<[string, () => unknown, RegExp]>([
  ['a body that is an object', () => box.requests({ body: { name: 'x' } } as never), /body: Give a text.*type object/],
  ['a list of statuses', () => box.requests({ status: ['422'] } as never), /status: Give a text.*a list/],
  ['null', () => box.journal({ q: null } as never), /q: Give a text.*null/],
  ['an unknown filter', () => box.requests({ state: '422' } as never), /state: Unknown field. Known: id, operation/],
  ['an unknown filter of rows', () => box.rows('labels', { name: 'x' } as never), /name: Unknown field/],
  ['an object as a filter of rows', () => box.rows('labels', { where: { id: 1 } } as never), /where: Give a text/],
  ['an unknown option of coverage', () => box.coverage({ since: 'r1' } as never), /since: Unknown field/],
  ['an object as an id', () => box.update('labels', { id: 1 } as never, {}), /id: Give a text/],
  ['a name that is an object', () => box.restore({ name: 'x' } as never), /name: Give a text/],
  [
    'two parts of a row',
    () => (box.create as never as (...given: object[]) => void)('labels' as never, {}, {}),
    /one part/
  ]
])('the handle of a sandbox throws for %s', (_, act, message) => {
  expect(act).toThrow(message)
})

test('the journal of a handle takes a status as a number', async () => {
  const own = createMock().sandbox('numbers')
  await own.play({
    name: 'lost',
    steps: [
      { call: { url: '/api/lost', expect: { status: 404 } } },
      { call: { operation: 'getUserRole', user: 'basic' } }
    ]
  })
  expect([own.requests({ status: 404 }).map(({ url }) => url), own.journal({ status: 200 }).total]).toEqual([
    ['/api/lost'],
    1
  ])
})

test('the handle of a sandbox ignores arguments that are undefined', async () => {
  const labels = box.rows('labels')
  const [{ id, name } = { id: 0, name: '' }] = labels
  expect((box.create as (...given: unknown[]) => unknown)('labels', undefined, 2)).toHaveLength(2)
  expect(box.create('labels', { name: undefined } as never).name).toEqual(expect.any(String))
  expect(box.update('labels', id, { name: undefined } as never).name).toBe(name)
  expect(box.reset({ seed: undefined, fixtures: undefined })).toMatchObject({ seed: 1, fixtures: 'demo' })
  expect(box.requests({ status: undefined })).toEqual([])
  expect(box.capsule({ uploads: undefined }).name).toBe('capsule-own')
  expect(box.rows('labels')).toEqual(labels)
})

test('options of verify and of matchers that are undefined are ignored', async () => {
  const rest = { token: undefined, headers: { 'X-Mine': undefined }, known: { connector: undefined }, seed: undefined }
  const options = { url: mock.url, operations: ['getUserRole'], cases: 1, typo: undefined, ...rest }
  expect((await verify(options as never)).exitCode).toBe(0)
  expect(toHaveNoViolations(box, { refused: undefined }).pass).toBe(true)
  const answer = { status: 200, method: 'GET', url: '/api/get-user-role', body: { role: 'admin' } }
  const about = { operation: undefined, profile: undefined, assume: { 'files.deletion': undefined } }
  expect(await toHonourContract(answer, about as never)).toMatchObject({ pass: true })
})
