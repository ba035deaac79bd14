import type { SearchChatsReply } from '../../../apis/knowledge-chat/types.gen.js'
import { isReadable } from '../judge.js'
import type { SearchNames } from '../run.js'
import type { Scene } from '../scenes/any/scene.js'

const queries = [
  ...['query', 'q', 'search', 'search_query', 'searchQuery', 'term', 'search_term', 'text', 'keyword', 'keywords'],
  ...['name', 'filter', 'message', 's']
]
const sizes = ['page_size', 'limit', 'size', 'per_page', 'pageSize', 'count', 'page_limit', 'num']
const pages = ['page', 'page_number', 'page_num', 'next_page', 'pageNumber', 'p', 'offset', 'cursor']

/** The names in `told` come first, and the contract's own before them. */
function candidates(known: string[], told: string[]): string[] {
  return [...new Set([...known.filter((it) => told.includes(it)), ...told, ...known])]
}

/** Finds the parameter that searches, by a word that a session has. */
export async function searchNames(scene: Scene, word: string): Promise<SearchNames> {
  const { run } = scene
  if (run.search) return run.search
  const told = run.hints?.query(run, 'searchChats') ?? []
  const texts = told.filter(({ type }) => type === 'string').map(({ name }) => name)
  const numbers = told.flatMap(({ name, type }) => (type === 'integer' && !sizes.includes(name) ? [name] : []))
  const names: SearchNames = {
    query: undefined,
    isTold: false,
    size: null,
    pages: candidates(pages, numbers)
  }
  run.search = names
  const nothing = run.mark('nothing')
  const tried = candidates(queries, texts).slice(0, 20)
  const search = async () => {
    for (const name of tried) {
      const found = await searched(scene, { [name]: word })
      if (found && idsOf(found).length === 0 && /^(q|.*query|.*search|.*term)$/i.test(name)) names.silent ??= name
      if (!found || idsOf(found).length === 0) continue
      const none = await searched(scene, { [name]: nothing })
      if (!none || idsOf(none).length > 0) continue
      names.query = name
      break
    }
    // Without a name that finds nothing, there is nothing to wait for.
    return names.query !== undefined || names.silent === undefined
  }
  await scene.soon(search)
  if (names.query === undefined && texts.length > 0) {
    Object.assign(names, { query: texts.find((it) => queries.includes(it)) ?? texts[0], isTold: true })
  }
  return names
}

/** Finds the parameter for the page size, by a word that several sessions have. */
export async function searchSize(scene: Scene, word: string): Promise<SearchNames> {
  const names = await searchNames(scene, word)
  if (names.size !== null) return names
  const told = scene.run.hints?.query(scene.run, 'searchChats').map(({ name }) => name) ?? []
  const filter = names.query === undefined ? {} : { [names.query]: word }
  const ofSize = async (name: string, size: number) => {
    const found = await searched(scene, { ...filter, [name]: size })
    return found !== undefined && idsOf(found).length === size
  }
  names.size = undefined
  const documented = told.filter((it) => sizes.includes(it))
  for (const name of candidates(sizes, documented)) {
    if (!(await ofSize(name, 1)) || !(await ofSize(name, 2))) continue
    names.size = name
    break
  }
  return names
}

/** The reply of E3, or undefined if it is an error. */
async function searched(scene: Scene, query: Record<string, string | number>): Promise<SearchChatsReply | undefined> {
  const exchange = await scene.run.exactly('searchChats', { query })
  return isReadable(scene.run, exchange) ? (exchange.reply.body as SearchChatsReply) : undefined
}

/** The queries that search for a word. None if the parameter's name is unknown. */
export async function searchQueries(scene: Scene, word: string): Promise<Record<string, string>[]> {
  const { query } = await searchNames(scene, word)
  return query === undefined ? [] : [{ [query]: word }]
}

/** The ids on pages of a search. */
export function idsOf(...pages: SearchChatsReply[]): string[] {
  return pages.flatMap(({ groups }) => groups.flatMap(({ chats = [] }) => chats.map(({ id }) => id)))
}
