import type { DocumentSource, IndexingStatusGroup } from '../../contract/types.gen.js'
import { isConnectorItem } from '../empty.js'
import type { Play, Scene } from './scene.js'

type Item = IndexingStatusGroup['indexing_statuses'][number]
export type Pair = Extract<Item, { cc_pair_id: number }>
type Body = Record<string, boolean | string | number | string[] | Record<string, number>>

/** E16: figures and pages agree. */
export const indexingPlays: Play[] = [
  {
    title: 'the pages of the indexing status',
    operations: ['getIndexingStatus'],
    mutating: false,
    async play(scene) {
      const all = await groupsOf(scene, { get_all_connectors: true })
      scene.unique(
        'getIndexingStatus',
        all.map((group) => group.source)
      )
      for (const group of all) {
        const { source, summary, indexing_statuses: items, total_pages } = group
        const pairs = pairsIn([group])
        scene.unique(
          'getIndexingStatus',
          pairs.map((pair) => pair.cc_pair_id)
        )
        const isOne = pairs.every((item) => item.source === source)
        scene.check('filter_respected', 'getIndexingStatus', isOne, `only connectors of ${source} in its group`)
        const whole = total_pages > 1 && total_pages <= 20 ? await pagesOf(scene, source, total_pages, items) : items
        // Whether federated connectors count is not shown.
        const sizes = [whole.length, whole.filter(isConnectorItem).length]
        const isWhole = total_pages > 20 || sizes.includes(summary.total_connectors)
        const expected = `${summary.total_connectors} connectors of ${source}, as its summary says`
        scene.check('paging_consistent', 'getIndexingStatus', isWhole, expected, `${whole.length}`)
      }
      const [first] = all
      if (first) await beyond(scene, first.source)
    }
  }
]

export function groupsOf(scene: Scene, body: Body): Promise<IndexingStatusGroup[]> {
  return scene.must('getIndexingStatus', { body })
}

/** The connectors, without what is federated: of those no field is known. */
export function pairsIn(groups: IndexingStatusGroup[]): Pair[] {
  return groups.flatMap((group) => group.indexing_statuses).filter((item): item is Pair => isConnectorItem(item))
}

/**
 * The pages of a source have every item once; gives them. What changes meanwhile changes the pages: a second look decides.
 * `all`: what the server shows of all connectors, which may be one page of them.
 */
async function pagesOf(scene: Scene, source: DocumentSource, pages: number, all: Item[]): Promise<Item[]> {
  for (let look = 1; ; look++) {
    const found: Item[] = []
    let isEchoed = true
    for (let page = 1; page <= pages; page++) {
      const groups = await groupsOf(scene, { source_to_page: { [source]: page } })
      const group = groups.find((it) => it.source === source)
      isEchoed &&= group?.current_page === page
      found.push(...(group?.indexing_statuses ?? []))
    }
    const idsOf = (items: Item[]) => items.filter(isConnectorItem).map((item) => (item as Pair).cc_pair_id)
    const keys = idsOf(found)
    const isWhole = new Set(keys).size === keys.length && idsOf(all).every((id) => keys.includes(id))
    if (!(isWhole && isEchoed) && look === 1) continue
    const expected = `the connectors of ${source}, each on one page`
    scene.check('paging_consistent', 'getIndexingStatus', isWhole && isEchoed, expected, keys.join(', '))
    return found
  }
}

/** What comes beyond the last page is not shown: nothing, or the last page again. */
async function beyond(scene: Scene, source: DocumentSource): Promise<void> {
  const { reply } = await scene.ask('getIndexingStatus', { body: { source_to_page: { [source]: 9999 } } })
  if (reply.status >= 300) return
  const group = (reply.body as IndexingStatusGroup[]).find((it) => it.source === source)
  const choice = !group ? 'omit-empty' : group.indexing_statuses.length === 0 ? 'keep-empty' : 'last-page'
  scene.run.answers.add('indexing.paging', choice, 'page 9999')
}
