import { Ids } from '../../src/engine/sandbox/ids.js'
import type { Collection } from '../../src/engine/store/collection.js'
import {
  bytesOf,
  collectionOf,
  createStore,
  forkStore,
  Later,
  namesOf,
  type Store
} from '../../src/engine/store/rows.js'
import { startTestMock as start } from '../mock.js'
import { notes } from './notes.js'

/** A store with a user's collection, how often its rows were made, and the collection in a fork. */
function storeWithNotes(ids = [1, 2, 3]) {
  let made = 0
  const later = new Later('notes', () => {
    made += 1
    return ids.map((id) => ({ id }))
  })
  const store = createStore({}, { notes: later })
  const notesIn = (it: Store) => collectionOf(it, 'notes')
  return { store, notesIn, made: () => made }
}

const numbers = (rows: Collection) => [...rows.all()].map(({ id }) => id)

test('the rows of a user’s collection are made at their first use, once for all forks', () => {
  const { store, notesIn, made } = storeWithNotes()
  const fork = forkStore(store)
  const other = forkStore(fork)
  expect([namesOf(other).at(-1), bytesOf(other), Ids.start(1, other).fork().seed, made()]).toEqual(['notes', 0, 1, 0])
  expect(numbers(notesIn(other))).toEqual([1, 2, 3])
  expect(numbers(notesIn(store))).toEqual([1, 2, 3])
  expect(made()).toBe(1)
  // Forks that have not used them yet count them too, so a sandbox is no larger than its base.
  expect([bytesOf(fork), bytesOf(other)]).toEqual([bytesOf(store), bytesOf(store)])
})

test('the rows of a user’s collection start unchanged in a fork that has not used them, whatever happened to the others', () => {
  const { store, notesIn } = storeWithNotes()
  const snapshot = forkStore(store)
  notesIn(store).remove(2)
  notesIn(store).put({ id: 9 })
  expect(numbers(notesIn(snapshot))).toEqual([1, 2, 3])
  expect(numbers(notesIn(store))).toEqual([1, 3, 9])
})

test('the rows of a user’s collection reserve their ids, even if they are removed first', () => {
  const { store, notesIn, made } = storeWithNotes()
  const ids = Ids.start(1, store)
  expect(made()).toBe(0)
  const undo = ids.remember()
  notesIn(store).remove(3)
  expect(ids.next('notes', store)).toBe(4)
  undo()
  expect(JSON.stringify(ids)).toBe(JSON.stringify({ notes: 3 }))
})

test('the rows of a user’s collection count as used without counting as a change', () => {
  const { store } = storeWithNotes()
  const ids = Ids.start(1, store)
  ids.before = undefined
  expect([ids.next('notes', store), ids.takeCounted()]).toMatchObject([
    4,
    { counters: { notes: 4 }, before: { notes: 3 } }
  ])
  ids.goBack({ notes: 3 })
  expect(ids.next('notes', store)).toBe(4)
})

test('the rows of a user’s collection are the same, to the byte, whether they were read before or not', async () => {
  const answersOf = async (looksFirst: boolean) => {
    const mock = await start({ with: [notes()], seed: 3 })
    const texts: string[] = []
    const call = async (...[method, url, body]: [string, string, unknown?]) => {
      const { status, text } = await mock.call(method, url, { body })
      texts.push(`${method} ${url} ${status} ${text}`)
    }
    if (looksFirst) await mock.call('GET', '/api/notes')
    await call('POST', '/__mock/snapshots/begin')
    await mock.call('PUT', '/__mock/clock', { body: { now: '2027-01-01T00:00:00Z' } })
    await mock.call('PUT', '/api/manage/admin/users', { body: { emails: ['new@example.com'] } })
    await mock.call('DELETE', '/api/notes/20')
    await call('POST', '/api/notes', { title: 'Mine' })
    await call('GET', '/__mock/state')
    await call('GET', '/__mock/state?at=m0')
    await call('POST', '/__mock/snapshots/begin/restore')
    await call('GET', '/__mock/state')
    return texts
  }
  expect(await answersOf(false)).toEqual(await answersOf(true))
})
