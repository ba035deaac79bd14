import { chatSession } from '../../fixtures/chat.js'
import { Maker } from '../../fixtures/maker.js'
import type { Rows } from '../../src/apis/knowledge-chat/types.gen.js'
import { startTestMock, type TestMock, testNow } from '../mock.js'

const make = new Maker(7, Date.parse(testNow))

const mock = await startTestMock({ fixtures: 'empty' })
const other = await startTestMock({
  fixtures: 'empty',
  assume: { 'chat.search-match': 'stems', 'chat.groups': 'one', 'chat.search-query': 'unbounded' }
})

afterEach(() => Promise.all([mock.reset(), other.reset()]))

test('without a query the newest come first, also from projects, but none of others', async () => {
  addSessions(mock, [
    { name: 'old, used just now', time_created: '2026-03-02T07:00:00.000Z', time_updated: testNow },
    { name: 'new', time_created: '2026-03-02T09:00:00.000Z', project_id: 1 },
    { name: 'between', time_created: '2026-03-02T08:00:00.000Z' },
    { name: 'another’s', user_id: mock.sandbox.rows.users.first('byKey', 'basic')?.id }
  ])
  const { body } = await search(mock)
  expect(body.groups.map((it: Group) => it.title)).toEqual(['Today'])
  expect(names(body)).toEqual(['new', 'between', 'old, used just now'])
  expect(body.groups[0].chats[0]).toEqual({
    id: expect.any(String),
    name: 'new',
    time_created: '2026-03-02T09:00:00.000Z',
    shared_status: expect.any(String),
    persona_id: 0,
    current_alternate_model: expect.any(String),
    current_temperature_override: expect.any(Number)
  })
})

test('a blank query counts as none', async () => {
  addSessions(mock, [{ name: 'One' }, { name: '' }])
  for (const query of ['?query=', '?query=%20%09+']) {
    const { body, headers } = await search(mock, query)
    expect(names(body)).toHaveLength(2)
    expect(headers.get('x-mock-assumed')).not.toContain('chat.search-match')
  }
})

test('users without sessions find none', async () => {
  expect((await search(mock)).body).toEqual({ groups: [], has_more: false })
})

test('pages give every session once, and the last one shows that it is the last', async () => {
  addSessions(mock, numbered(7))
  const pages = []
  for (let page: number | undefined = 1; page !== undefined; page = pages.at(-1).next_page) {
    pages.push((await search(mock, `?page=${page}&page_size=3`)).body)
  }
  expect(pages.map(names)).toEqual([['1', '2', '3'], ['4', '5', '6'], ['7']])
  expect(pages.map((it) => [it.has_more, it.next_page])).toEqual([
    [true, 2],
    [true, 3],
    [false, undefined]
  ])
})

test('pages that are full and last have no next page', async () => {
  addSessions(mock, numbered(6))
  const { body } = await search(mock, '?page=2&page_size=3')
  expect([names(body).length, body.has_more, body.next_page]).toEqual([3, false, undefined])
})

test('pages have ten sessions by default', async () => {
  addSessions(mock, numbered(11))
  const { body } = await search(mock)
  expect([names(body).length, body.has_more, body.next_page]).toEqual([10, true, 2])
})

test('pages count what the query finds', async () => {
  addSessions(
    mock,
    numbered(30).map((it, i) => ({ ...it, name: i % 3 === 0 ? `third ${i}` : `${i}` }))
  )
  expect(names((await search(mock, '?query=third&page=2&page_size=4')).body)).toEqual(
    [12, 15, 18, 21].map((i) => `third ${i}`)
  )
})

test('pages after the end are empty', async () => {
  addSessions(mock, numbered(3))
  for (const page of ['2', '1000000', '9007199254740991']) {
    expect((await search(mock, `?page=${page}`)).body).toEqual({ groups: [], has_more: false })
  }
})

test('pages read at most one session more than they show', async () => {
  addSessions(mock, numbered(100))
  const { chatSessions } = mock.sandbox.rows
  const where = chatSessions.where.bind(chatSessions)
  let count = 0
  chatSessions.where = function* (...lookup) {
    for (const row of where(...lookup)) {
      count++
      yield row
    }
  }
  expect(names((await search(mock, '?page_size=20')).body)).toHaveLength(20)
  expect(count).toBe(21)
})

test.each(['page=0', 'page=-1', 'page_size=0', 'page_size=101'])('pages: %s is invalid', async (query) => {
  const { status, body } = await search(mock, `?${query}`)
  const [name, input] = query.split('=')
  expect([status, body.detail]).toMatchObject([422, [{ loc: ['query', name], input }]])
})

test.each(['page=0', 'page=-1', 'page_size=0', 'page_size=-5', 'page=-3&page_size=-3'])(
  'pages are empty for %s with the choice unbounded of chat.search-query',
  async (query) => {
    addSessions(other, numbered(3))
    const { status, body } = await search(other, `?${query}`)
    expect([status, body]).toEqual([200, { groups: [], has_more: false }])
  }
)

test('pages may be of any size with the choice unbounded of chat.search-query', async () => {
  addSessions(other, numbered(150))
  expect(names((await search(other, '?page_size=100000')).body)).toHaveLength(150)
})

describe('the results of a query', () => {
  const titles = [
    'Release notes for the spring launch',
    'Launching a released product',
    'Lunch',
    'Übersicht 2026',
    '100% _done_',
    '.*'
  ]

  test.each([
    ['release', ['Launching a released product', 'Release notes for the spring launch']],
    ['LAUNCH release', ['Launching a released product', 'Release notes for the spring launch']],
    ['ote', ['Release notes for the spring launch']],
    ['launch lunch', []],
    ['übers', ['Übersicht 2026']],
    ['%', ['100% _done_']],
    ['.*', ['.*']],
    ['  notes\u00a0spring ', ['Release notes for the spring launch']]
  ])('%j finds names with every word, in any case, anywhere', async (query, expected) => {
    addSessions(
      mock,
      titles.map((name) => ({ name }))
    )
    const { body, headers } = await search(mock, `?query=${encodeURIComponent(query)}`)
    expect(names(body).sort()).toEqual(expected)
    expect(headers.get('x-mock-assumed')).toContain('chat.search-match')
  })

  test.each([
    ['releases', ['Launching a released product', 'Release notes for the spring launch']],
    ['LAUNCHED notes', ['Release notes for the spring launch']],
    ['laun', []],
    ['übersicht', ['Übersicht 2026']],
    ['...', []]
  ])('%j finds words of the same stem with the choice stems of chat.search-match', async (query, expected) => {
    addSessions(
      other,
      titles.map((name) => ({ name }))
    )
    expect(names((await search(other, `?query=${encodeURIComponent(query)}`)).body).sort()).toEqual(expected)
  })

  test.each([mock, other])('no word finds a session without a name', async (it) => {
    addSessions(it, [{ name: null }, { name: '' }])
    expect((await search(it, '?query=null')).body.groups).toEqual([])
  })
})

const days: [string, string][] = [
  ['2026-03-03T00:00:00.000Z', 'Today'],
  ['2026-03-02T09:59:59.999Z', 'Today'],
  ['2026-03-02T00:00:00.000Z', 'Today'],
  ['2026-03-01T23:59:59.999Z', 'Yesterday'],
  ['2026-03-01T00:00:00.000Z', 'Yesterday'],
  ['2026-02-28T23:59:59.999Z', 'This Week'],
  ['2026-02-24T00:00:00.000Z', 'This Week'],
  ['2026-02-23T23:59:59.999Z', 'This Month'],
  ['2026-02-01T00:00:00.000Z', 'This Month'],
  ['2026-01-31T23:59:59.999Z', 'Older'],
  ['2019-01-01T00:00:00.000Z', 'Older']
]

test('groups follow the day on which a session was created, the newest first, and none is empty', async () => {
  addSessions(
    mock,
    days.map(([time_created, name]) => ({ name, time_created }))
  )
  const { groups } = (await search(mock, '?page_size=100')).body
  expect(groups.map((it: Group) => it.title)).toEqual(['Today', 'Yesterday', 'This Week', 'This Month', 'Older'])
  for (const { title, chats } of groups as Group[])
    expect(new Set(chats.map((it) => it.name))).toEqual(new Set([title]))
  expect((await search(mock, '?query=week')).body.groups.map((it: Group) => it.title)).toEqual(['This Week'])
})

test('groups change with the clock', async () => {
  addSessions(mock, [{ time_created: testNow }])
  const title = async (date: string) => {
    mock.sandbox.clock.set({ now: Date.parse(date) })
    return (await search(mock)).body.groups[0].title
  }
  expect(await title('2026-03-02T23:59:59.999Z')).toBe('Today')
  expect(await title('2026-03-03T00:00:00Z')).toBe('Yesterday')
  expect(await title('2026-03-04T00:00:00Z')).toBe('This Week')
  expect(await title('2026-03-09T00:00:00Z')).toBe('This Month')
  expect(await title('2026-04-01T00:00:00Z')).toBe('Older')
})

test('groups are made page by page', async () => {
  addSessions(
    mock,
    days.map(([time_created, name]) => ({ name, time_created }))
  )
  const titles = async (page: number) =>
    (await search(mock, `?page_size=4&page=${page}`)).body.groups.map((it: Group) => it.title)
  expect(await titles(1)).toEqual(['Today', 'Yesterday'])
  expect(await titles(2)).toEqual(['Yesterday', 'This Week', 'This Month'])
})

test('groups are just one, All, with the choice one of chat.groups', async () => {
  addSessions(
    other,
    days.map(([time_created, name]) => ({ name, time_created }))
  )
  const { body, headers } = await search(other, '?page_size=100')
  expect(body.groups.map((it: Group) => [it.title, it.chats.length])).toEqual([['All', days.length]])
  expect(headers.get('x-mock-assumed')).toContain('chat.groups')
})

interface Group {
  title: string
  chats: { name: string }[]
}

function search(it: TestMock, query = '') {
  return it.call('GET', `/api/chat/search${query}`)
}

function names({ groups }: { groups: Group[] }): string[] {
  return groups.flatMap((it) => it.chats.map((chat) => chat.name))
}

function addSessions(it: TestMock, sessions: Partial<Rows['chatSessions']>[]): void {
  const { rows } = it.sandbox
  const admin = rows.users.first('byKey', 'admin')?.id as string
  for (const own of sessions) rows.chatSessions.put(chatSession(make, { user_id: admin, ...own }))
}

/** Sessions with names by their place in a search. */
function numbered(count: number): Partial<Rows['chatSessions']>[] {
  return Array.from({ length: count }, (_, i) => ({ name: `${i + 1}`, time_created: make.ago(1000 * i) }))
}
