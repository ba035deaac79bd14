import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, named, objectOf, takes, text } from './shop.js'

const started = async (paths: object, schemas: object = {}) => {
  const mock = await startTestMock({ api: documentOf(paths, schemas) })
  return {
    get: async (path: string) => (await mock.call('GET', path)).body,
    post: (path: string, body: unknown) => mock.call('POST', path, { body }),
    call: mock.call
  }
}

test('a row may have a list of rows like itself', async () => {
  const things = { get: gives(listOf(named('Thing'))), post: takes(objectOf({ name: text }), named('Thing')) }
  const { get, post } = await started(
    { '/things': things, '/things/{id}': { get: gives(named('Thing')) } },
    { Thing: objectOf({ id: integer, name: text, children: listOf(named('Thing')) }, ['id', 'name']) }
  )
  const { body } = await post('/things', { name: 'Leaf' })
  expect(await get(`/things/${body.id}`)).toMatchObject({ id: 11, name: 'Leaf' })
})

test('a nested row shows the key of its parent, which several rows may have', async () => {
  const key = { type: 'string', pattern: '^[A-Z]{3}-[0-9]{4}$' }
  const { get, post } = await started(
    {
      '/products': { get: gives(listOf(named('Product'))), post: takes(named('Product'), named('Product')) },
      '/products/{sku}': { get: gives(named('Product')) },
      '/products/{sku}/reviews': {
        get: gives(listOf(named('Review'))),
        post: takes(objectOf({ rating: integer }), named('Review'))
      }
    },
    {
      Product: objectOf({ sku: key, name: text }, ['sku']),
      Review: objectOf({ id: integer, sku: text, rating: integer }, ['id'])
    }
  )
  const [{ sku }] = await get('/products')
  expect(sku).toMatch(/^[A-Z]{3}-[0-9]{4}$/)
  const [review] = await get(`/products/${sku}/reviews`)
  expect(review.sku).toBe(sku)
  for (const rating of [3, 4]) {
    const { status, body } = await post(`/products/${sku}/reviews`, { rating })
    expect([status, body]).toMatchObject([201, { sku, rating }])
  }
  expect(await get(`/products/${sku}/reviews`)).toHaveLength(3)
})

test('a list below a row and a path of the same rows are one collection', async () => {
  const { get, post, call } = await started(
    {
      '/projects': { get: gives(listOf(named('Project'))), post: takes(named('Project'), named('Project')) },
      '/projects/{id}': { get: gives(named('Project')), delete: { responses: { 204: { description: 'gone' } } } },
      '/projects/{id}/tasks': {
        get: gives(listOf(named('Task'))),
        post: takes(objectOf({ title: text }), named('Task'))
      },
      '/tasks/{task_id}': { get: gives(named('Task')), patch: takes(objectOf({ title: text }), named('Task'), 200) },
      '/tasks/{task_id}/notes': { get: gives(listOf(named('Note'))), post: takes(objectOf({ text }), named('Note')) }
    },
    {
      Project: objectOf({ id: integer, name: text }, ['id']),
      Task: objectOf({ id: integer, project_id: integer, title: text }, ['id', 'project_id']),
      Note: objectOf({ id: integer, text }, ['id'])
    }
  )
  const names = (await get('/__mock/collections')).collections.map((it: { name: string }) => it.name)
  expect(names.slice(0, 3)).toEqual(['projects', 'tasks', 'tasksNotes'])
  const { body: task } = await post('/projects/2/tasks', { title: 'Plan' })
  expect(task).toMatchObject({ project_id: 2, title: 'Plan' })
  expect((await call('PATCH', `/tasks/${task.id}`, { body: { title: 'Do' } })).body.title).toBe('Do')
  expect((await get('/projects/2/tasks')).map((it: { title: string }) => it.title)).toContain('Do')
  expect((await get('/projects/1/tasks')).map((it: { id: number }) => it.id)).not.toContain(task.id)
  await post(`/tasks/${task.id}/notes`, { text: 'Soon' })
  expect(await get(`/tasks/${task.id}/notes`)).toMatchObject([{ text: 'Soon' }])
  await call('DELETE', '/projects/2')
  expect((await call('GET', `/tasks/${task.id}`)).status).toBe(404)
})
