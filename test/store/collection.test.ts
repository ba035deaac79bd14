import { Chance } from '../../src/engine/sandbox/chance.js'
import { sizeOf } from '../../src/engine/store/collection.js'
import { createStore, forkStore } from '../stores.js'

const label = (id: number, name = `label ${id}`) => ({ id, name })

test('a collection forks without copying, and neither side sees what the other writes', () => {
  const one = createStore({ labels: Array.from({ length: 500 }, (_, id) => label(id)) })
  const two = forkStore(one)
  two.labels.put(label(7, 'changed'))
  two.labels.remove(8)
  one.labels.put(label(1000))
  expect([one.labels.get(7)?.name, one.labels.size]).toEqual(['label 7', 501])
  expect([two.labels.get(7)?.name, two.labels.get(8), two.labels.get(1000), two.labels.size]).toEqual([
    'changed',
    undefined,
    undefined,
    499
  ])
  expect(one.labels.get(9)).toBe(two.labels.get(9))
})

test('a collection finds the same rows after a fork, whichever side is read and written first', () => {
  const invite = (id: number) => ({
    id,
    email: `${id}@a.com`,
    invited_at: '2026-01-01T00:00:00.000Z',
    invited_by: 'a'
  })
  const ids = (side: ReturnType<typeof createStore>) => [...side.invites.where('byInviter', 'a')].map(({ id }) => id)
  for (const asked of [[], ['one'], ['two'], ['one', 'two']]) {
    const one = createStore({ invites: [invite(1), invite(2)] })
    const two = forkStore(one)
    if (asked.includes('one')) expect(ids(one)).toEqual([1, 2])
    if (asked.includes('two')) expect(ids(two)).toEqual([1, 2])
    two.invites.put(invite(3))
    one.invites.remove(1)
    const three = forkStore(two)
    three.invites.remove(2)
    expect([ids(one), ids(two), ids(three)]).toEqual([[2], [1, 2, 3], [1, 3]])
  }
})

test('a collection finds the same rows by an index that is first read after many changes, in each of several forks', () => {
  const chance = new Chance(7)
  const random = () => chance.next()
  const invite = (id: number) => {
    const invited_by = `user ${Math.floor(random() * 3)}`
    return { id, email: `${Math.floor(random() * 40)}@a.com`, invited_at: '2026-01-01T00:00:00.000Z', invited_by }
  }
  const sides = [createStore({ invites: Array.from({ length: 30 }, (_, id) => invite(id)) })]
  for (let step = 0; step < 12_000; step++) {
    const { invites } = sides[Math.floor(random() * sides.length)] as ReturnType<typeof createStore>
    const id = Math.floor(random() * 60)
    if (random() < 0.3) invites.remove(id)
    else invites.put(invite(id))
    if (step % 3000 === 1500) sides.push(forkStore(sides.at(-1) as ReturnType<typeof createStore>))
    if (step % 2000 !== 1999 && random() > 0.002) continue
    const by = `user ${Math.floor(random() * 3)}`
    const expected = [...invites.all()].filter((it) => it.invited_by === by)
    expect([...invites.where('byInviter', by)]).toEqual(expected)
    // The other index is read late.
    for (const { email } of step > 9000 ? expected : []) {
      const same = [...invites.all()].filter((it) => it.email === email)
      expect([...invites.where('byEmail', email)]).toEqual(same)
    }
  }
})

test('a collection counts the bytes of its rows, however they were added, separately in each fork', () => {
  const { labels } = createStore({ labels: [label(1), label(2)] })
  const counted = () => [...labels.all()].reduce((sum, row) => sum + sizeOf(row), 0)
  const at = labels.bytes
  expect(at).toBe(counted())
  const fork = labels.fork()
  const rows: object[] = [label(3), label(1, 'x'.repeat(1000)), { ...label(2), more: ['a', { b: 'c' }] }, label(2)]
  for (const row of rows) {
    labels.put(row as ReturnType<typeof label>)
    expect(labels.bytes).toBe(counted())
  }
  labels.remove(1)
  labels.remove(77)
  expect([labels.bytes, fork.bytes]).toEqual([counted(), at])
})

test('a collection finds rows by every element of a list, and forgets removed elements', () => {
  const set = {
    id: 1,
    name: '',
    description: '',
    cc_pair_ids: [3, 3, 4],
    is_up_to_date: true,
    is_public: true,
    users: [],
    groups: [],
    federated_connector_summaries: []
  }
  const { documentSets } = createStore({ documentSets: [set] })
  expect([...documentSets.where('byPair', 3)]).toEqual([set])
  documentSets.put({ ...set, cc_pair_ids: [4] })
  expect([documentSets.first('byPair', 3), documentSets.first('byPair', 4)?.id]).toEqual([undefined, 1])
})

test('a collection shows a replaced row in every index, moved if its fields changed', () => {
  const invite = { id: 1, email: 'Ada@example.com', invited_at: '2026-01-01T00:00:00.000Z', invited_by: 'a' }
  const { invites } = createStore({ invites: [invite] })
  const other = { ...invite, invited_by: 'b' }
  invites.put(other)
  expect([...invites.where('byEmail', 'ada@example.com')]).toEqual([other])
  expect([...invites.where('byInviter', 'a'), ...invites.where('byInviter', 'b')]).toEqual([other])
})

test('a collection finds rows by whether a field is true, and by whether it is null', () => {
  const credential = {
    id: 1,
    credential_json: {},
    admin_public: true,
    source: 'web' as const,
    name: null,
    curator_public: false,
    groups: [],
    user_id: null,
    time_created: '2026-01-01T00:00:00.000Z',
    time_updated: '2026-01-01T00:00:00.000Z'
  }
  const { credentials } = createStore({ credentials: [credential] })
  const found = () =>
    (['ofNobody', 'ofAdmins', 'ofCurators'] as const).filter((name) => [...credentials.where(name, true)].length > 0)
  expect(found()).toEqual(['ofNobody', 'ofAdmins'])
  credentials.put({ ...credential, admin_public: false, curator_public: true, user_id: 'a' })
  expect(found()).toEqual(['ofCurators'])
})
