import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, named, objectOf, takes, text } from './shop.js'

const pet = (mapping?: object) => ({
  ...objectOf({ id: { ...integer, readOnly: true }, kind: text, name: text }, ['kind', 'name']),
  discriminator: { propertyName: 'kind', ...(mapping && { mapping }) }
})
const paths = {
  '/pets': { get: gives(listOf(named('Pet'))), post: takes(named('Pet'), named('Pet')) },
  '/pets/{id}': { get: gives(named('Pet')), put: takes(named('Pet'), named('Pet'), 200) },
  '/dogs/best': { get: gives(named('Dog')) },
  '/boxes': { post: takes(objectOf({ pet: { allOf: [named('Pet')] } }), objectOf({ pet: named('Pet') })) }
}
const children = (mapping?: object) => ({
  Pet: pet(mapping),
  Dog: { allOf: [named('Pet'), objectOf({ bark: integer }, ['bark'])] },
  Cat: { allOf: [named('Pet'), objectOf({ lives: integer })] }
})
const mapping = { dog: '#/components/schemas/Dog', cat: '#/components/schemas/Cat' }

const started = (schemas: object) => startTestMock({ api: documentOf(paths, schemas) })

test('rows of a base are those of its children, whose fields requests may have', async () => {
  const mock = await started(children(mapping))
  const rows = (await mock.call('GET', '/pets')).body
  expect(new Set(rows.map((it: { kind: string }) => it.kind))).toEqual(new Set(['dog', 'cat']))
  for (const { kind, ...row } of rows) expect(['bark' in row, kind]).toEqual([kind === 'dog', kind])
  const made = await mock.call('POST', '/pets', { body: { kind: 'dog', name: 'Rex', bark: 3 } })
  expect([made.status, made.body]).toEqual([201, { id: 11, kind: 'dog', name: 'Rex', bark: 3 }])
  expect(made.headers.get('x-mock-violations')).toBeNull()
  expect((await mock.call('GET', '/pets/11')).body).toEqual(made.body)
  const changed = await mock.call('PUT', '/pets/11', { body: { kind: 'cat', name: 'Tom', lives: 9 } })
  expect(changed.body).toMatchObject({ kind: 'cat', lives: 9 })
  expect((await mock.call('GET', '/dogs/best')).body.kind).toBe('dog')
})

test('a request with a kind that the base does not have, or without a field of its kind, is refused', async () => {
  const mock = await started(children(mapping))
  const refused = async (body: object) => {
    const { status, body: answer } = await mock.call('POST', '/pets', { body })
    return [
      status,
      ...answer.detail.map(({ loc, type }: { loc: string[]; type: string }) => `${loc.join('.')} ${type}`)
    ]
  }
  expect(await refused({ kind: 'dog', name: 'Rex' })).toEqual([422, 'body.dog.bark missing'])
  expect(await refused({ kind: 'bird', name: 'Tweety' })).toEqual([422, 'body union_tag_invalid'])
  expect(await refused({ name: 'Rex' })).toEqual([422, 'body union_tag_not_found'])
  const inside = await mock.call('POST', '/boxes', { body: { pet: { kind: 'dog', name: 'Rex' } } })
  expect(inside.status).toBe(422)
  const boxed = await mock.call('POST', '/boxes', { body: { pet: { kind: 'dog', name: 'Rex', bark: 1 } } })
  expect([boxed.status, boxed.body.pet, boxed.headers.get('x-mock-violations')]).toEqual([
    201,
    { kind: 'dog', name: 'Rex', bark: 1 },
    null
  ])
})

test('without a mapping the names of schemas are the kinds, those of children of children and of the base too', async () => {
  const mock = await started({ ...children(), Puppy: { allOf: [named('Dog'), objectOf({ weeks: integer })] } })
  for (const body of [
    { kind: 'Puppy', name: 'Rex', bark: 1, weeks: 3 },
    { kind: 'Dog', name: 'Rex', bark: 1 },
    { kind: 'Pet', name: 'Rex' }
  ]) {
    const { status, body: row } = await mock.call('POST', '/pets', { body })
    expect([status, row]).toMatchObject([201, body])
  }
  expect((await mock.call('POST', '/pets', { body: { kind: 'Puppy', name: 'Rex' } })).status).toBe(422)
})
