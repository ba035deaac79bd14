import { isReadable } from '../../../tools/verify/judge.js'
import { texts } from '../../../tools/verify/phases/hostile.js'
import type { Run } from '../../../tools/verify/run.js'
import type { SearchChatsReply } from '../types.gen.js'
import { among, changing, newSession, type Play, reading, type Scene, withId } from './scene.js'

const id = 'searchChats'

/** The names of E3's parameters. The description does not give them, so they are learned from their effects. */
interface SearchNames {
  /** Undefined if no parameter is known to search. */
  query: string | undefined
  /** A parameter with the right name that finds nothing. */
  silent?: string
  /** Null: not searched for yet. */
  size: string | undefined | null
  pages: string[]
}

const namesOf = new WeakMap<Run, SearchNames>()

const queries = [
  ...['query', 'q', 'search', 'search_query', 'searchQuery', 'term', 'search_term', 'text', 'keyword', 'keywords'],
  ...['name', 'filter', 'message', 's']
]
const sizes = ['page_size', 'limit', 'size', 'per_page', 'pageSize', 'count', 'page_limit', 'num']
const pages = ['page', 'page_number', 'page_num', 'next_page', 'pageNumber', 'p', 'offset', 'cursor']

/** The names that the server documents come first, and the usual ones before them. */
function candidates(usual: string[], documented: string[]): string[] {
  return [...new Set([...usual.filter((it) => documented.includes(it)), ...documented, ...usual])]
}

/** Finds the parameter that searches, by a word that a session has. */
export async function searchNames(scene: Scene, word: string): Promise<SearchNames> {
  const { run } = scene
  const previous = namesOf.get(run)
  if (previous) return previous
  const documented = run.hints?.query(run.operation(id)) ?? []
  const ofType = (type: string) => documented.flatMap((it) => (it.type === type ? [it.name] : []))
  const numbers = ofType('integer').filter((name) => !sizes.includes(name))
  const names: SearchNames = { query: undefined, size: null, pages: candidates(pages, numbers) }
  namesOf.set(run, names)
  const nothing = scene.mark('nothing')
  const tried = candidates(queries, ofType('string')).slice(0, 20)
  await scene.soon(async () => {
    for (const name of tried) {
      const hits = await searched(scene, { [name]: word })
      if (hits?.length === 0 && /^(q|.*query|.*search|.*term)$/i.test(name)) names.silent ??= name
      if (!hits || hits.length === 0 || (await searched(scene, { [name]: nothing }))?.length !== 0) continue
      names.query = name
      break
    }
    // Without a name that finds nothing, there is nothing to wait for.
    return names.query !== undefined || names.silent === undefined
  })
  const [first] = ofType('string')
  names.query ??= ofType('string').find((it) => queries.includes(it)) ?? first
  return names
}

/** Finds the parameter for the page size, by a word that several sessions have. */
async function searchSize(scene: Scene, word: string): Promise<SearchNames> {
  const names = await searchNames(scene, word)
  if (names.size !== null) return names
  names.size = undefined
  const filter = names.query === undefined ? {} : { [names.query]: word }
  const isSize = async (name: string, size: number) =>
    (await searched(scene, { ...filter, [name]: size }))?.length === size
  const documented = scene.run.hints?.query(scene.run.operation(id)).map(({ name }) => name) ?? []
  const sizeNames = documented.filter((it) => sizes.includes(it))
  for (const name of candidates(sizes, sizeNames)) {
    if (!(await isSize(name, 1)) || !(await isSize(name, 2))) continue
    names.size = name
    break
  }
  return names
}

/** The ids that E3 finds. Undefined if its reply is an error. */
async function searched(scene: Scene, query: Record<string, string | number>): Promise<string[] | undefined> {
  const exchange = await scene.run.exactly(id, { query })
  return isReadable(scene.run, exchange) ? idsOf(exchange.reply.body as SearchChatsReply) : undefined
}

/** The sessions that a search for a word finds, or the recent ones if no parameter searches. */
export async function foundBy(scene: Scene, word: string) {
  const { query } = await searchNames(scene, word)
  const { groups } = await scene.must(id, { query: query === undefined ? {} : { [query]: word } })
  return groups.flatMap((group) => group.chats)
}

export function idsOf(...all: SearchChatsReply[]): string[] {
  return all.flatMap(({ groups }) => groups.flatMap(({ chats = [] }) => chats.map((chat) => chat.id)))
}

/** One number of sessions fills the last page, the other does not. */
const pageSizes = [4, 3]
const count = 8

type Query = Record<string, string | number>

export const searchPlays: Play[] = [
  changing('the pages of a search', [id], async (scene) => {
    const word = scene.mark('page')
    const created: string[] = []
    for (let n = 1; n <= count; n++) created.push(await newSession(scene, `${word} ${n}`))
    const newest = created.at(-1) as string
    await scene.soon(async () => withId(await foundBy(scene, word), newest).length > 0)
    const names = await searchSize(scene, word)
    await newestFirst(scene, names, newest)
    if (names.query === undefined) {
      scene.couldNot(id, 'no name is known for the parameter that has the query', 'a search')
      return
    }
    const nothing = await scene.must(id, { query: { [names.query]: scene.mark('nothing') } })
    const isEmpty = idsOf(nothing).length === 0 && !nothing.has_more
    scene.check('filter_respected', id, isEmpty, 'nothing: no session has the word')
    // A server may want all words or one of them, whatever their order.
    const other = scene.mark('other')
    const sides = [`${word} ${other}`, `${other} ${word}`].map((text) => foundBy(scene, text))
    const [one, two] = (await Promise.all(sides)).map(({ length }) => length > 0)
    scene.check('filter_respected', id, one === two, `the same by "${word} ${other}" as by "${other} ${word}"`)
    // Texts with special characters for databases and patterns may find anything, but must not fail.
    const { 'half of a surrogate pair': _, ...whole } = texts
    for (const text of Object.values(whole)) await scene.ask(id, { query: { [names.query]: text } })
    for (const size of pageSizes) {
      const read = await pagesOf(scene, names, { [names.query]: word }, size)
      const ids = idsOf(...read)
      scene.unique(id, ids, 'paging_consistent')
      const isWhole = created.every(among(ids))
      const all = `all ${count} sessions on the pages`
      scene.check('paging_consistent', id, isWhole, all, `${ids.length} of them`, { shownBy: id, fault: 'lacks' })
      const isFiltered = ids.every(among(created))
      scene.check('filter_respected', id, isFiltered, `only sessions with the word ${word}`)
      const titles = new Set(read.flatMap((page) => page.groups.map((group) => group.title)))
      scene.answer('chat.groups', titles.size === 1 && titles.has('All') ? 'one' : 'by-age')
    }
  }),
  reading('recent sessions are those of the list', [id], async (scene) => {
    // Another client may create or delete one in the meantime, so only what is missing twice counts.
    const missing = async () => {
      const { sessions } = await scene.must('listChatSessions')
      const inProjects = (await scene.must('listProjects')).flatMap(({ chat_sessions }) => chat_sessions)
      const oldest = Math.min(...sessions.map(({ time_updated }) => Date.parse(time_updated)))
      const isKnown = among([...sessions, ...inProjects].map((it) => it.id))
      const { groups } = await scene.must(id)
      const chats = groups.flatMap((group) => group.chats)
      // The list may have an end, and may leave out some of this run: those that are incognito.
      return chats.filter((it) => !isKnown(it.id) && Date.parse(it.time_created) > oldest && !scene.run.made.has(it.id))
    }
    const first = (await missing()).map((it) => it.id)
    const [lost] = first.length > 0 ? (await missing()).filter((it) => first.includes(it.id)) : []
    const cause = { shownBy: 'listChatSessions', fault: 'lacks' } as const
    scene.check('filter_respected', id, !lost, 'only sessions that the list has', `also ${lost?.id}`, cause)
    // A long page has several groups.
    const { size } = namesOf.get(scene.run) ?? {}
    const shown = async () => (size && (await searched(scene, { [size]: 100 }))) || idsOf(await scene.must(id))
    const ids = await shown()
    const isTwice = new Set(ids).size < ids.length
    // New sessions of others can move rows to the next page, so only a repeated duplicate counts.
    scene.unique(id, isTwice ? await shown() : ids, 'paging_consistent')
  })
]

/**
 * Without a query, recent sessions are returned. A new session must be among the first, unless others have future
 * dates. Sessions of the same moment come in any order, so a page that is too short for them says nothing.
 */
async function newestFirst(scene: Scene, { size }: SearchNames, newest: string): Promise<void> {
  const { sessions } = await scene.must('listChatSessions')
  const time = Date.parse(withId(sessions, newest)[0]?.time_created ?? '')
  const look = async (most: number): Promise<'there' | 'crowded-out' | 'missing'> => {
    const { groups } = await scene.must(id, { query: size ? { [size]: most } : {} })
    const chats = groups.flatMap((group) => group.chats)
    if (withId(chats, newest).length > 0) return 'there'
    const areLater = chats.length > 0 && chats.every(({ time_created }) => Date.parse(time_created) >= time)
    return areLater ? 'crowded-out' : 'missing'
  }
  let place = await look(3)
  if (place === 'crowded-out') place = await look(2 * count)
  const expected = `the session ${newest}, which is the most recent, on the first page`
  scene.check('ensure_resource_availability', id, place !== 'missing', expected)
}

/** Each page has at most the requested size, and reports correctly whether more follow. */
async function pagesOf(scene: Scene, names: SearchNames, query: Query, size: number): Promise<SearchChatsReply[]> {
  const sized = names.size ? { ...query, [names.size]: size } : query
  const first = await scene.must(id, { query: sized })
  const read = [first]
  if (!first.has_more) return read
  const name = await pageName(scene, names, sized, first)
  let before = first
  for (let page = 2; name !== undefined && page <= count; page++) {
    const isFull = idsOf(before).length === idsOf(first).length && typeof before.next_page === 'number'
    scene.check('paging_consistent', id, isFull, 'a full page with a next_page: it says that there are more')
    if (!isFull) break
    before = await scene.must(id, { query: { ...sized, [name]: before.next_page as number } })
    read.push(before)
    const expected = 'at least one session on the next page: the page before says that there are more'
    scene.check('paging_consistent', id, idsOf(before).length > 0, expected)
    if (!before.has_more) break
  }
  return read
}

/** The parameter for another page. Without a known name, pages cannot be read. */
async function pageName(scene: Scene, names: SearchNames, query: Query, first: SearchChatsReply) {
  const { next_page } = first
  if (typeof next_page !== 'number') return names.pages[0]
  const shown = new Set(idsOf(first))
  for (const name of names.pages) {
    const ids = await searched(scene, { ...query, [name]: next_page })
    if (ids && !ids.some((it) => shown.has(it))) return name
  }
  const documented = scene.run.hints?.query(scene.run.operation(id)).map((it) => it.name) ?? []
  return names.pages.find((name) => documented.includes(name))
}
