import type { DocumentSource, IndexingStatusGroup } from '../../../contract/types.gen.js'
import { isConnectorItem } from '../inputs/empty.js'
import { type Play, reading, repeated, type Scene } from './any/scene.js'

type Item = IndexingStatusGroup['indexing_statuses'][number]
export type Pair = Extract<Item, { cc_pair_id: number }>
type Body = Record<string, boolean | string | number | string[] | Record<string, number>>

/** The highest number of pages to read per source. */
const mostPages = 20

/** E16: totals and pages agree. */
export const indexingPlays: Play[] = [
  reading('the pages of the indexing status', ['getIndexingStatus'], async (scene) => {
    const all = await groupsOf(scene, { get_all_connectors: true })
    const plain = await groupsOf(scene, {})
    const sources = all.map((group) => group.source)
    scene.unique('getIndexingStatus', sources)
    for (const group of all) {
      const { source, summary, indexing_statuses: items, total_pages } = group
      const pairs = pairsIn([group])
      const ids = pairs.map((pair) => pair.cc_pair_id)
      scene.unique('getIndexingStatus', ids)
      const isOne = pairs.every((item) => item.source === source)
      scene.check('filter_respected', 'getIndexingStatus', isOne, `only connectors of ${source} in its group`)
      const one = plain.find((it) => it.source === source)
      const isShown = one?.total_pages === 1 && one.current_page <= 1 && one.indexing_statuses.length === items.length
      if (!isShown) await pagesHold(scene, source)
      if (total_pages > 1) continue
      // The description does not say whether federated connectors count.
      const sizes = [items.length, pairs.length]
      const expected = `${summary.total_connectors} connectors of ${source}, as its summary says`
      const isWhole = sizes.includes(summary.total_connectors)
      scene.check('paging_consistent', 'getIndexingStatus', isWhole, expected, `${items.length}`)
      if (pairs.length < items.length) continue
      const open = pairs.filter(({ access_type }) => access_type === 'public').length
      const told = summary.public_connectors
      const count = `${open} public connectors of ${source}`
      scene.check('paging_consistent', 'getIndexingStatus', told === open, count, `${told}`)
    }
    const [first] = all
    if (first) await beyond(scene, first.source)
  })
]

export function groupsOf(scene: Scene, body: Body): Promise<IndexingStatusGroup[]> {
  return scene.must('getIndexingStatus', { body })
}

/** The connectors without federated ones, whose fields are unknown. */
export function pairsIn(groups: IndexingStatusGroup[]): Pair[] {
  return groups.flatMap((group) => group.indexing_statuses).filter((item): item is Pair => isConnectorItem(item))
}

/** The connectors on the pages of a source for this body. */
export interface Pages {
  /** The number of the first page, as the server reports it. */
  first: number
  sizes: number[]
  /** The number of connectors on the first page. Federated ones may come in addition. */
  full: number
  found: Item[]
  problem: string | undefined
}

/** Reads the pages of a source that has several. Records what is wrong with them. */
export async function pagesOf(scene: Scene, body: Body, source: DocumentSource): Promise<Pages | undefined> {
  const groupOf = (groups: IndexingStatusGroup[]) => groups.find((it) => it.source === source)
  const start = groupOf(await groupsOf(scene, body))
  if (!start) return undefined
  const { current_page: first, total_pages } = start
  const pages: Pages = { first, sizes: [], full: pairsIn([start]).length, found: [], problem: undefined }
  if (first !== 0 && first !== 1) pages.problem = `the first page is ${first}`
  for (let page = first; page < first + Math.min(total_pages, mostPages); page++) {
    const groups = await groupsOf(scene, { ...body, source_to_page: { [source]: page } })
    const group = groupOf(groups)
    const turned = groups.find((it) => it.source !== source && it.current_page !== first)
    if (turned)
      pages.problem ??= `page ${page} of ${source} is said to be page ${turned.current_page} of ${turned.source}`
    if (group?.current_page !== page) pages.problem ??= `page ${page} is said to be page ${group?.current_page}`
    pages.sizes.push(group?.indexing_statuses.length ?? 0)
    pages.found.push(...(group?.indexing_statuses ?? []))
  }
  if (total_pages > mostPages) return pages
  const short = pages.sizes.slice(0, -1).find((size) => size < pages.full)
  if (short !== undefined) pages.problem ??= `pages of ${pages.sizes.join(', ')} connectors`
  return pages
}

/**
 * Each connector of a source must be on one page. Indexing may change pages in the meantime, so a second look decides.
 */
async function pagesHold(scene: Scene, source: DocumentSource): Promise<void> {
  for (let look = 1; ; look++) {
    const all = pairsIn(await groupsOf(scene, { get_all_connectors: true })).filter((pair) => pair.source === source)
    const pages = await pagesOf(scene, {}, source)
    if (!pages || pages.sizes.length >= mostPages) return
    const ids = pages.found.filter(isConnectorItem).map((item) => (item as Pair).cc_pair_id)
    const shown = new Set(ids)
    const lost = all.filter(({ cc_pair_id }) => !shown.has(cc_pair_id))
    const twice = repeated(ids)
    const wrong = twice === undefined ? undefined : `${twice} is on two pages`
    const problem = pages.problem ?? wrong ?? (lost.length > 0 ? `${lost.length} of them are on none` : undefined)
    if (problem && look === 1) continue
    const expected = `the connectors of ${source}, each on one page`
    scene.check('paging_consistent', 'getIndexingStatus', problem === undefined, expected, problem)
    return
  }
}

/** The description does not say what comes after the last page: nothing, or the last page again. */
async function beyond(scene: Scene, source: DocumentSource): Promise<void> {
  const { reply } = await scene.ask('getIndexingStatus', { body: { source_to_page: { [source]: 9999 } } })
  if (reply.status >= 300) return
  const group = (reply.body as IndexingStatusGroup[]).find((it) => it.source === source)
  const choice = !group ? 'omit-empty' : group.indexing_statuses.length === 0 ? 'keep-empty' : 'last-page'
  scene.run.answers.add('indexing.paging', choice, 'page 9999')
}
