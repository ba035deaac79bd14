import { createStore, forkStore } from '../../src/store/rows.js'

describe('a collection', () => {
  const label = (id: number, name = `label ${id}`) => ({ id, name })

  test('forks without copying, and neither side sees what the other writes', () => {
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

  test('finds by every element of a list, and forgets the elements that are gone', () => {
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
})
