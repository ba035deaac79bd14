import type { SearchChatsReply } from '../../contract/types.gen.js'
import type { Play, Scene } from './scene.js'

const pageSize = 3
const count = 8

/** E3: pages. */
export const searchPlays: Play[] = [
  {
    title: 'the pages of a search',
    operations: ['searchChats'],
    mutating: true,
    async play(scene) {
      const { run } = scene
      const word = run.mark('page')
      const created: string[] = []
      for (let n = 1; n <= count; n++) {
        const body = await scene.must('createChatSession', {
          body: { description: `${word} ${n}` }
        })
        run.made('createChatSession', body)
        created.push(body.chat_session_id)
      }
      const pages = await pagesOf(scene, { query: word })
      if (pages === undefined) return
      const ids = idsOf(pages)
      scene.unique('searchChats', ids, 'paging_consistent')
      const isWhole = created.every((id) => ids.includes(id))
      scene.check(
        'paging_consistent',
        'searchChats',
        isWhole,
        `all ${count} sessions on the pages`,
        `${ids.length} of them`
      )
      const isFiltered = ids.every((id) => created.includes(id))
      scene.check('filter_respected', 'searchChats', isFiltered, `only sessions with the word ${word}`)
      const nothing = await scene.must('searchChats', { query: { query: run.mark('nothing') } })
      const isEmpty = idsOf([nothing]).length === 0 && !nothing.has_more
      scene.check('filter_respected', 'searchChats', isEmpty, 'nothing: no session has the word')
      const titles = new Set(pages.flatMap((page) => page.groups.map((group) => group.title)))
      run.answers.add('chat.groups', titles.size === 1 && titles.has('All') ? 'one' : 'by-age', scene.title)
    }
  },
  {
    title: 'the pages of recent sessions',
    operations: ['searchChats'],
    mutating: false,
    async play(scene) {
      // Sessions that somebody makes meanwhile move rows to the next page: only what happens twice counts.
      const first = await pagesOf(scene, {})
      if (!first || new Set(idsOf(first)).size === idsOf(first).length) return void scene.unique('searchChats', [])
      const again = (await pagesOf(scene, {})) ?? []
      scene.unique('searchChats', idsOf(again), 'paging_consistent')
    }
  }
]

/** At most six pages; none where the server does not page as the contract has it. */
async function pagesOf(scene: Scene, query: { query?: string }): Promise<SearchChatsReply[] | undefined> {
  const pages: SearchChatsReply[] = []
  for (let page = 1; page <= 6; page++) {
    const read = await scene.must('searchChats', { query: { ...query, page, page_size: pageSize } })
    if (idsOf([read]).length > pageSize) {
      scene.run.record.couldNot('searchChats', 'pages', 'the server does not know the parameter page_size')
      return undefined
    }
    pages.push(read)
    if (!read.has_more) break
    const isFull = idsOf([read]).length === pageSize && read.next_page === page + 1
    scene.check(
      'paging_consistent',
      'searchChats',
      isFull,
      `${pageSize} sessions and next_page ${page + 1}: there are more`
    )
  }
  return pages
}

function idsOf(pages: SearchChatsReply[]): string[] {
  return pages.flatMap((page) => page.groups.flatMap((group) => group.chats.map((chat) => chat.id)))
}
