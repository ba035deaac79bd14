import type { DocumentSource, IndexingStatusGroup } from '../../contract/types.gen.js'
import type { Play, Scene } from './scene.js'

type Item = IndexingStatusGroup['indexing_statuses'][number]

/** E16: figures, pages and filters agree. */
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
      for (const { source, summary, indexing_statuses: items, total_pages } of all) {
        scene.unique('getIndexingStatus', items.map(key))
        const isOne = items.every((item) => item.source.replace('federated_', '') === source)
        scene.check('filter_respected', 'getIndexingStatus', isOne, `only connectors of ${source} in its group`)
        const { total_connectors: total } = summary
        const isWhole = total === items.length
        scene.check(
          'paging_consistent',
          'getIndexingStatus',
          isWhole,
          `${total} connectors of ${source}, as its summary says`,
          `${items.length}`
        )
        if (total_pages > 1 && total_pages <= 20) await pagesOf(scene, source, total_pages, items)
      }
      const [first] = all
      if (first) await beyond(scene, first.source)
    }
  },
  {
    title: 'the filters of the indexing status',
    operations: ['getIndexingStatus'],
    mutating: false,
    async play(scene) {
      const all = pairsIn(await groupsOf(scene, { get_all_connectors: true }))
      const [some] = all.filter((pair) => pair.name)
      for (const access of ['public', 'private', 'sync'] as const) {
        const pairs = pairsIn(await groupsOf(scene, { access_type_filters: [access], get_all_connectors: true }))
        const holds = pairs.every((pair) => pair.access_type === access)
        scene.check('filter_respected', 'getIndexingStatus', holds, `only connectors with access ${access}`)
      }
      for (const status of ['success', 'failed', 'in_progress'] as const) {
        const pairs = pairsIn(await groupsOf(scene, { last_status_filters: [status], get_all_connectors: true }))
        const holds = pairs.every((pair) => pair.last_status === status)
        scene.check('filter_respected', 'getIndexingStatus', holds, `only connectors whose last status is ${status}`)
      }
      if (!some?.name) return
      const named = pairsIn(await groupsOf(scene, { name_filter: some.name, get_all_connectors: true }))
      const isNamed = named.every((pair) => pair.name?.toLowerCase().includes(String(some.name).toLowerCase()))
      scene.check('filter_respected', 'getIndexingStatus', isNamed, `only connectors named ${some.name}`)
      const isThere = named.some((pair) => pair.cc_pair_id === some.cc_pair_id)
      scene.check('ensure_resource_availability', 'getIndexingStatus', isThere, `the connector ${some.name}`)
      await operatorName(
        scene,
        all.map((pair) => pair.docs_indexed)
      )
    }
  }
]

function groupsOf(scene: Scene, body: Record<string, boolean | string | string[] | Record<string, number>>) {
  return scene.must('getIndexingStatus', { body })
}

function pairsIn(groups: IndexingStatusGroup[]) {
  return groups.flatMap((group) => group.indexing_statuses).filter((item) => 'cc_pair_id' in item)
}

function key(item: Item): string {
  return 'cc_pair_id' in item ? `pair ${item.cc_pair_id}` : `federated ${item.id}`
}

/** The pages of a source have every item once. What changes meanwhile changes the pages: a second look decides. */
async function pagesOf(scene: Scene, source: DocumentSource, pages: number, all: Item[]): Promise<void> {
  for (let look = 1; look <= 2; look++) {
    const found: string[] = []
    let isEchoed = true
    for (let page = 1; page <= pages; page++) {
      const groups = await groupsOf(scene, { source_to_page: { [source]: page } })
      const group = groups.find((it) => it.source === source)
      isEchoed &&= group?.current_page === page
      found.push(...(group?.indexing_statuses ?? []).map(key))
    }
    const isWhole = found.length === all.length && all.every((item) => found.includes(key(item)))
    if (!(isWhole && isEchoed) && look === 1) continue
    const expected = `the ${all.length} connectors of ${source}, each on one page`
    scene.check('paging_consistent', 'getIndexingStatus', isWhole && isEchoed, expected, found.join(', '))
    return
  }
}

async function beyond(scene: Scene, source: DocumentSource): Promise<void> {
  const groups = await groupsOf(scene, { source_to_page: { [source]: 9999 } })
  const group = groups.find((it) => it.source === source)
  const isEmpty = !group || group.indexing_statuses.length === 0
  scene.check('paging_consistent', 'getIndexingStatus', isEmpty, 'no connector on page 9999')
  scene.run.answers.add('indexing.paging', group ? 'keep-empty' : 'omit-empty', 'page 9999')
}

/** Which of the two names of the operator filters; a server may know neither. */
async function operatorName(scene: Scene, docs: number[]): Promise<void> {
  const value = Math.min(...docs)
  if (docs.length === 0 || docs.every((it) => it === value)) return
  for (const name of ['docs_count_operator', 'docs_count_comparison']) {
    const body = { [name]: '>', docs_count_value: value, get_all_connectors: true }
    const { reply } = await scene.ask('getIndexingStatus', { body })
    if (reply.status >= 300) continue
    const counts = pairsIn(reply.body as IndexingStatusGroup[]).map((pair) => pair.docs_indexed)
    if (counts.every((it) => it > value)) return scene.run.answers.add('indexing.operator-name', name, 'a filter by it')
  }
}
