import { createMock } from '../../src/doors/program/mock.js'

const document = (paths: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Paths', version: '1' },
  paths,
  ...more
})
const responses = { 200: { description: 'ok', content: { 'application/json': { schema: {} } } } }
const started = (given: object) => {
  const mock = createMock({ with: [given], onProblem: () => {} })
  return async (path: string) => {
    const response = await mock.fetch(`http://mock${path}`)
    return { status: response.status, body: JSON.parse(await response.text()), headers: response.headers }
  }
}

describe('parameters of the path', () => {
  const integers = { type: 'array', items: { type: 'integer' }, minItems: 2 }
  const of = (style: string | undefined, schema: object, explode?: boolean) => ({
    get: { parameters: [{ name: 'x', in: 'path', required: true, style, explode, schema }], responses }
  })
  const ask = started(
    document({
      '/simple/{x}': of(undefined, integers),
      '/label/{x}': of('label', { type: 'integer' }),
      '/labels/{x}': of('label', integers),
      '/dots/{x}': of('label', integers, true),
      '/matrix/{x}': of('matrix', { type: 'integer' }),
      '/matrices/{x}': of('matrix', integers),
      '/each/{x}': of('matrix', integers, true)
    })
  )

  test.each([
    ['/simple/1,2', 200],
    ['/simple/1,b', 422],
    ['/simple/1', 422],
    ['/label/.7', 200],
    ['/label/.b', 422],
    ['/label/b', 422],
    ['/labels/.1,2', 200],
    ['/labels/.1,b', 422],
    ['/dots/.1.2', 200],
    ['/dots/.1.b', 422],
    ['/matrix/;x=7', 200],
    ['/matrix/;y=7', 422],
    ['/matrices/;x=1,2', 200],
    ['/matrices/;x=1,b', 422],
    ['/each/;x=1;x=2', 200],
    ['/each/;x=1;x=b', 422]
  ])('%s is answered with %i', async (path, status) => {
    const answer = await ask(path)
    expect([answer.status, answer.headers.get('x-mock-violations')]).toEqual([status, null])
    if (status === 422) expect(answer.body.detail[0].loc.slice(0, 2)).toEqual(['path', 'x'])
  })
})

test('the servers of an operation override those of its path, and those override the ones of the document', async () => {
  const servers = (url: string) => ({ servers: [{ url }] })
  const ask = started(
    document(
      {
        '/a': { get: { responses } },
        '/b': { ...servers('https://example.com/v2'), get: { responses }, post: { ...servers('/v3'), responses } }
      },
      servers('/v1')
    )
  )
  const statuses = []
  for (const path of ['/v1/a', '/v2/b', '/v1/b']) statuses.push((await ask(path)).status)
  expect(statuses).toEqual([200, 200, 404])
  const { paths } = (await ask('/openapi.json')).body
  expect(Object.keys(paths['/v3/b'])).toEqual(['post'])
  expect(paths['/v3/b'].post.servers).toBeUndefined()
})
