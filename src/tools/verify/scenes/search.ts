import type { SearchChatsReply } from '../../../apis/knowledge-chat/types.gen.js'
import { idsOf, searchQueries, searchSize } from '../inputs/names.js'
import { isReadable } from '../judge.js'
import { texts } from '../phases/hostile.js'
import { isSameId } from '../rows.js'
import type { SearchNames } from '../run.js'
import { changing, type Play, reading, type Scene } from './any/scene.js'

/** One number of sessions fills the last page, the other does not. */
const pageSizes = [4, 3]
const count = 8

type Query = Record<string, string | number>

/** E3: pages. */
export const searchPlays: Play[] = [
  changing('the pages of a search', ['searchChats'], async (scene) => {
    const { run } = scene
    const word = run.mark('page')
    const created: string[] = []
    for (let n = 1; n <= count; n++) {
      created.push((await scene.must('createChatSession', { body: { description: `${word} ${n}` } })).chat_session_id)
    }
    const newest = created.at(-1) as string
    const [query = {}] = await searchQueries(scene, word)
    await scene.soon(async () => idsOf(await scene.must('searchChats', { query })).some((id) => isSameId(id, newest)))
    const names = await searchSize(scene, word)
    await newestFirst(scene, names, newest)
    if (names.query === undefined) {
      run.results.couldNot('searchChats', 'a search', 'no name is known for the parameter that has the query')
      return
    }
    const nothing = await scene.must('searchChats', { query: { [names.query]: run.mark('nothing') } })
    const isEmpty = idsOf(nothing).length === 0 && !nothing.has_more
    scene.check('filter_respected', 'searchChats', isEmpty, 'nothing: no session has the word')
    await hostileQueries(scene, names.query)
    for (const size of pageSizes) {
      const pages = await pagesOf(scene, names, { [names.query]: word }, size)
      const ids = idsOf(...pages)
      scene.unique('searchChats', ids, 'paging_consistent')
      const isWhole = created.every((id) => ids.some((it) => isSameId(it, id)))
      const expected = `all ${count} sessions on the pages`
      scene.check('paging_consistent', 'searchChats', isWhole, expected, `${ids.length} of them`)
      const isFiltered = ids.every((id) => created.some((it) => isSameId(it, id)))
      scene.check('filter_respected', 'searchChats', isFiltered, `only sessions with the word ${word}`)
      const titles = new Set(pages.flatMap((page) => page.groups.map((group) => group.title)))
      run.answers.add('chat.groups', titles.size === 1 && titles.has('All') ? 'one' : 'by-age', scene.title)
    }
  }),
  reading('the pages of recent sessions', ['searchChats'], async (scene) => {
    const first = await scene.must('searchChats')
    const twice = new Set(idsOf(first)).size < idsOf(first).length
    // New sessions of others can move rows to the next page, so only a repeated duplicate counts.
    scene.unique('searchChats', twice ? idsOf(await scene.must('searchChats')) : idsOf(first), 'paging_consistent')
  })
]

/** Texts with special characters for databases and patterns. They may find anything, but must not fail. */
async function hostileQueries(scene: Scene, name: string): Promise<void> {
  const { 'half of a pair': _none, ...whole } = texts
  for (const text of Object.values(whole)) await scene.ask('searchChats', { query: { [name]: text } })
}

/**
 * Without a query, recent sessions are returned. A new session must be among the first, unless others have future
 * dates. Sessions of the same moment come in any order, so a page that is too short for them says nothing.
 */
async function newestFirst(scene: Scene, { size }: SearchNames, newest: string): Promise<void> {
  const { sessions } = await scene.must('listChatSessions')
  const made = Date.parse(sessions.find(({ id }) => isSameId(id, newest))?.time_created ?? '')
  const first = async (most: number): Promise<'there' | 'crowded-out' | 'missing'> => {
    const recent = await scene.must('searchChats', { query: size ? { [size]: most } : {} })
    const chats = recent.groups.flatMap((group) => group.chats)
    if (chats.some(({ id }) => isSameId(id, newest))) return 'there'
    const areLater = chats.length > 0 && chats.every(({ time_created }) => Date.parse(time_created) >= made)
    return areLater ? 'crowded-out' : 'missing'
  }
  let found = await first(3)
  if (found === 'crowded-out') found = await first(2 * count)
  const expected = `the session ${newest}, which is the most recent, on the first page`
  scene.check('ensure_resource_availability', 'searchChats', found !== 'missing', expected)
}

/** Each page has at most the requested size, and reports correctly whether more follow. */
async function pagesOf(scene: Scene, names: SearchNames, query: Query, size: number): Promise<SearchChatsReply[]> {
  const sized = names.size ? { ...query, [names.size]: size } : query
  const pages = [await scene.must('searchChats', { query: sized })]
  const [first] = pages as [SearchChatsReply]
  if (!first.has_more) return pages
  const name = await pageName(scene, names, sized, first)
  for (let page = 2; name !== undefined && page <= count; page++) {
    const before = pages.at(-1) as SearchChatsReply
    const isFull = idsOf(before).length === idsOf(first).length && typeof before.next_page === 'number'
    scene.check('paging_consistent', 'searchChats', isFull, 'a full page with a next_page: it says that there are more')
    if (!isFull) break
    const next = await scene.must('searchChats', { query: { ...sized, [name]: before.next_page as number } })
    pages.push(next)
    const isMore = idsOf(next).length > 0
    const expected = 'at least one session on the next page: the page before says that there are more'
    scene.check('paging_consistent', 'searchChats', isMore, expected)
    if (!next.has_more) break
  }
  return pages
}

/** The parameter for another page. Without a known name, pages cannot be read. */
async function pageName(scene: Scene, { pages }: SearchNames, query: Query, first: SearchChatsReply) {
  const { next_page } = first
  if (typeof next_page !== 'number') return pages[0]
  const shown = new Set(idsOf(first))
  for (const name of pages) {
    const exchange = await scene.run.exactly('searchChats', { query: { ...query, [name]: next_page } })
    if (!isReadable(scene.run, exchange)) continue
    const isOther = !idsOf(exchange.reply.body as SearchChatsReply).some((id) => shown.has(id))
    if (isOther) return name
  }
  const told = scene.run.hints?.query(scene.run, 'searchChats').map((it) => it.name) ?? []
  return pages.find((name) => told.includes(name))
}
