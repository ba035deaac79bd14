import { startTestMock } from '../../mock.js'
import { collectionNames } from '../../stores.js'

const mock = await startTestMock()
beforeEach(() => mock.reset())

interface Collection {
  name: string
  rows: number
  fields: { name: string; types: string[]; required: boolean; values?: string[]; references?: string }[]
}

async function collections(): Promise<Collection[]> {
  return (await mock.call('GET', '/__mock/collections')).body.collections
}

async function field(collection: string, name: string) {
  return (await collections()).find((it) => it.name === collection)?.fields.find((it) => it.name === name)
}

test('every collection has its fields and its number of rows', async () => {
  const list = await collections()
  expect(list.map(({ name }) => name).sort()).toEqual([...collectionNames].sort())
  for (const { name, rows, fields } of list) {
    const collection = mock.sandbox.rows[name as (typeof collectionNames)[number]]
    const [row] = collection.toJSON()
    expect([name, rows]).toEqual([name, collection.size])
    expect([name, fields.map((it) => it.name)]).toEqual([name, expect.arrayContaining(Object.keys(row as object))])
    expect(fields.filter(({ types }) => types.length === 0)).toEqual([])
  }
})

test('a field has its types, its values, and the collection whose rows it names', async () => {
  expect(await field('personas', 'tool_ids')).toMatchObject({ types: ['array'], required: true, references: 'tools' })
  expect(await field('personas', 'num_chunks')).toMatchObject({ types: expect.arrayContaining(['null']) })
  expect(await field('userFiles', 'settles_as')).toMatchObject({ values: ['COMPLETED', 'FAILED', 'CANCELED'] })
})

test('a list names its items, and an object its fields', async () => {
  const name = { name: 'name', types: ['string'], required: true }
  expect(await field('personas', 'groups')).toMatchObject({ types: ['array'], items: { types: ['integer'] } })
  expect(await field('personas', 'starter_messages')).toMatchObject({
    items: { types: ['object'], fields: [name, { name: 'message', types: ['string'], required: true }] }
  })
  // Its form is free.
  expect(await field('connectors', 'connector_specific_config')).not.toHaveProperty('fields')
})

test('a moment that does not exist is refused', async () => {
  expect((await mock.call('GET', '/__mock/collections?at=soon')).status).toBe(400)
})

test('the values follow the current choices', async () => {
  const values = async () => (await field('connectors', 'source'))?.values
  expect(await values()).toContain('slack')
  await mock.call('PATCH', '/__mock/assumptions', { body: { 'sources.values': 'any' } })
  expect(await values()).toBeUndefined()
})

test('rows are sorted by a field, up and down, numbers by size and texts regardless of case', async () => {
  const sorted = async (sort: string, name: string) => {
    const { rows } = (await mock.call('GET', `/__mock/state/personas?sort=${sort}`)).body
    return rows.map((row: Record<string, unknown>) => row[name])
  }
  const priorities = await sorted('display_priority', 'display_priority')
  const numbers = priorities.filter((it: unknown) => it !== null)
  expect(numbers).toEqual([...numbers].sort((a: number, b: number) => a - b))
  expect(priorities.slice(0, priorities.length - numbers.length).every((it: unknown) => it === null)).toBe(true)
  const names = (await sorted('-name', 'name')).map((it: string) => it.toLowerCase())
  expect(names).toEqual([...names].sort().reverse())
})

test('an unknown field is refused as a sort order, with the known ones', async () => {
  const { status, body } = await mock.call('GET', '/__mock/state/labels?sort=colour')
  expect([status, body.errors]).toEqual([
    400,
    [{ field: 'sort', detail: 'There is no field "colour". Known: id, name.', allowed: ['id', 'name'] }]
  ])
})

test('a collection has the words for its rows and the stages of their status', async () => {
  const { body } = await mock.call('GET', '/__mock/collections')
  const files = body.collections.find(({ name }: Collection) => name === 'userFiles')
  expect(files.label).toEqual(['File', 'Files'])
  expect(files.lifecycle.field).toBe('status')
  const [first] = (await mock.call('GET', '/__mock/state/userFiles')).body.rows
  for (const status of files.lifecycle.stages.flat()) {
    const { body } = await mock.call('POST', `/__mock/lifecycles/userFiles/${first.id}`, { body: { to: status } })
    expect([status, body.status ?? 'gone']).toEqual([status, status])
  }
  const labels = body.collections.find(({ name }: Collection) => name === 'labels')
  expect([labels.label, labels.lifecycle]).toEqual([undefined, undefined])
})
