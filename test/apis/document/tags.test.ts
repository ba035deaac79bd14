import { startTestMock } from '../../mock.js'
import { documentOf, gives, integer, listOf, named, objectOf, takes, text } from './shop.js'

const paths = {
  '/payments': { get: gives(listOf(named('Payment'))), post: takes(named('Payment'), named('Payment')) },
  '/payments/{id}': { get: gives(named('Payment')) },
  '/example': { get: gives(named('Payment')) },
  '/examples': { get: gives(objectOf({ all: listOf(named('Payment')) }, ['all'])) }
}
const base = { id: { ...integer, readOnly: true }, kind: text }
const card = objectOf({ ...base, last4: text }, ['id', 'kind', 'last4'])
const bank = objectOf({ ...base, iban: text }, ['id', 'kind', 'iban'])
const discriminator = { propertyName: 'kind' }
const mapping = { card: '#/components/schemas/Card', bank: '#/components/schemas/Bank' }
const oneOf = [named('Card'), named('Bank')]
type Row = { kind: string }

describe.each<[string, [string, string], object]>([
  [
    'those of the mapping',
    ['card', 'bank'],
    { Payment: { oneOf, discriminator: { ...discriminator, mapping } }, Card: card, Bank: bank }
  ],
  [
    'the names of schemas without a mapping',
    ['Card', 'Bank'],
    { Payment: { oneOf, discriminator }, Card: card, Bank: bank }
  ],
  [
    'those of the mapping, and the names of schemas that it leaves out',
    ['card', 'Bank'],
    {
      Payment: { oneOf, discriminator: { ...discriminator, mapping: { card: mapping.card } } },
      Card: card,
      Bank: bank
    }
  ],
  [
    'those of the mapping, in schemas that share the field',
    ['card', 'bank'],
    {
      Payment: { anyOf: oneOf, discriminator: { ...discriminator, mapping } },
      Base: objectOf(base, ['id', 'kind']),
      Card: { allOf: [named('Base'), objectOf({ last4: text }, ['last4'])] },
      Bank: { allOf: [named('Base'), objectOf({ iban: text }, ['iban'])] }
    }
  ],
  [
    'those that each schema lists, though they are not the names',
    ['c', 'b'],
    {
      Payment: { oneOf, discriminator },
      Card: { ...card, properties: { ...card.properties, kind: { enum: ['c'] } } },
      Bank: { ...bank, properties: { ...bank.properties, kind: { enum: ['b'] } } }
    }
  ]
])('the values of a discriminator are %s', (_, [ofCard, ofBank], schemas) => {
  const isTagged = (it: Row) => it.kind === ('last4' in it ? ofCard : ofBank)

  test('in first rows and samples', async () => {
    const mock = await startTestMock({ api: documentOf(paths, schemas) })
    const rows: Row[] = (await mock.call('GET', '/payments')).body
    expect(rows).toHaveLength(10)
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set([ofCard, ofBank]))
    const { all } = (await mock.call('GET', '/examples')).body
    const { body: one } = await mock.call('GET', '/example')
    for (const it of [...rows, ...all, one]) expect([it, isTagged(it)]).toEqual([it, true])
  })

  test('in new rows', async () => {
    const mock = await startTestMock({ api: documentOf(paths, schemas) })
    const post = (body: object) => mock.call('POST', '/payments', { body })
    const made = await post({ kind: ofBank, iban: 'DE1' })
    expect([made.status, made.body]).toEqual([201, { id: 11, kind: ofBank, iban: 'DE1' }])
    expect((await mock.call('GET', '/payments/11')).body).toEqual(made.body)
    expect((await post({ kind: 'birch', iban: 'DE1' })).status).toBe(422)
  })
})
