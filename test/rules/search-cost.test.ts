import { finderOf } from '../../src/apis/knowledge-chat/rules/chat/search-words.js'
import { type Answer, startTestMock, type TestMock } from '../mock.js'
import { Random } from '../property/random.js'
import { workOf } from '../work.js'

const create = '/api/chat/create-chat-session'
const search = '/api/chat/search'

const limited = await startTestMock({ fixtures: 'empty' })
const unlimited = await startTestMock({ fixtures: 'empty', assume: { 'limits.text': 'none' } })
const stems = await startTestMock({
  fixtures: 'empty',
  assume: { 'limits.text': 'none', 'chat.search-match': 'stems' }
})

/** Different words, none of which contains another. */
const words = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `w${(from + at + 1e5).toString()}`)
const add = (mock: TestMock, description: string) => mock.call('POST', create, { body: { description } })
const found = async (mock: TestMock, query: string[]) => {
  const { body } = await mock.call('GET', `${search}?query=${query.join('+')}`)
  return body.groups.flatMap((group: { chats: { name: string }[] }) => group.chats).length
}
const summary = ({ status, headers, body }: Answer) => [
  status,
  body.detail?.[0].msg,
  headers.get('x-mock-assumed')?.includes('limits.text')
]

test('a name or a query over the limit is refused with the limit', async () => {
  const { size } = limited.sandbox.rows.chatSessions
  const tooLong = (limit: number) => [422, `String should have at most ${limit} characters`, true]
  expect(summary(await add(limited, 'a'.repeat(10_001)))).toEqual(tooLong(10_000))
  expect(summary(await limited.call('GET', `${search}?query=${'a'.repeat(1001)}`))).toEqual(tooLong(1000))
  const filter = { name_filter: 'a'.repeat(1001) }
  const status = '/api/manage/admin/connector/indexing-status'
  expect(summary(await limited.call('POST', status, { body: filter }))).toEqual(tooLong(1000))
  expect(limited.sandbox.rows.chatSessions.size).toBe(size)
})

test('a text of exactly that length is accepted, without naming the limit', async () => {
  expect(summary(await add(limited, '🙂'.repeat(10_000)))).toEqual([200, undefined, false])
  expect(summary(await limited.call('GET', `${search}?query=${'a'.repeat(1000)}`))).toEqual([200, undefined, false])
})

test('limits.text names of any length are accepted with the choice none, and their first 10000 characters are searched', async () => {
  await add(unlimited, `${'a '.repeat(5000)}behind`)
  await add(unlimited, `${'a '.repeat(4990)}before ${'a '.repeat(1e6)}`)
  expect([await found(unlimited, ['before']), await found(unlimited, ['behind'])]).toEqual([1, 0])
})

describe.each([
  ['words', unlimited],
  ['stems', stems]
])('the cost of a search for %s', (_, mock) => {
  beforeEach(() => mock.reset())

  test('grows with the words of the query plus those of the names, not with their product', async () => {
    // Each name has all words of the query but the last.
    for (let at = 0; at < 20; at++) await add(mock, words(1000).join(' '))
    const few = [...words(4), 'missing']
    const many = [...words(1000), 'missing']
    expect([await found(mock, words(1000)), await found(mock, few), await found(mock, many)]).toEqual([10, 0, 0])
    const once = await workOf(() => found(mock, few))
    const often = await workOf(() => found(mock, many))
    expect(often).toBeLessThan(10 * once + 200 * many.length)
  })

  test('equals that of its first 10000 characters for a huge name, also in the first search', async () => {
    const size = (count: number) => words(count).join(' ').length
    const cost = async (count: number) => {
      await mock.reset()
      mock.sandbox.rows.chatSessions.put({ ...session, name: words(count).join(' ') })
      return workOf(() => found(mock, ['w100001']))
    }
    expect(await cost(200_000)).toBeLessThan((await cost(5000)) + size(5000))
  })

  test('stays the same with too many different words to index, and so do the results', async () => {
    for (let at = 0; at < 60; at++) {
      const name = words(1000, at * 1000).join(' ')
      mock.sandbox.rows.chatSessions.put({ ...session, id: session.id.replace(/..$/, `${at + 10}`), name })
    }
    expect(await found(mock, ['w100001', 'w100999'])).toBe(1)
    expect(await found(mock, ['w159999'])).toBe(1)
    expect(await found(mock, ['w100001', 'w159999'])).toBe(0)
  })

  const session = {
    id: '2d1f3c58-4b0e-4f6a-9d8e-6f0a0e9b7c11',
    user_id: mock.sandbox.rows.users.first('byKey', 'admin')?.id as string,
    time_created: '2026-03-02T09:00:00.000Z',
    time_updated: '2026-03-02T09:00:00.000Z',
    shared_status: 'private' as const,
    persona_id: null,
    current_alternate_model: null,
    current_temperature_override: null,
    project_id: null,
    incognito: false,
    message_count: 0
  }
})

test('texts are found in one pass as they are found one by one', () => {
  const random = new Random(1)
  const text = (most: number) =>
    Array.from({ length: random.int(1, most) }, () => random.pick(['a', 'b', 'c'])).join('')
  for (let round = 0; round < 3000; round++) {
    const texts = Array.from({ length: random.int(5, 12) }, () => text(4))
    const searched = text(60)
    expect([texts, searched, finderOf(texts)(searched)]).toEqual([
      texts,
      searched,
      texts.every((it) => searched.includes(it))
    ])
  }
})
