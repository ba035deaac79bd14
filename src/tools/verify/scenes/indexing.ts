import type { DocumentSource, IndexingStatusGroup } from '../../../apis/knowledge-chat/types.gen.js'
import { groupBy } from '../group.js'
import { type Play, reading, repeated, type Scene } from './any/scene.js'

const id = 'getIndexingStatus'

const operators = [
  ...['docs_count_operator', 'docs_count_comparison', 'docs_count_comparison_operator'],
  ...['docs_count_comparator', 'docs_count_op', 'docs_operator', 'comparison_operator', 'operator'],
  ...['comparison', 'docs_count_filter_operator']
]

const compare = {
  '>': (a: number, b: number) => a > b,
  '<': (a: number, b: number) => a < b,
  '=': (a: number, b: number) => a === b
}

/** E16: a filter shows all matching connectors, and only those. */
export const indexingFilterPlays: Play[] = [
  reading('the filters of the indexing status', [id], async (scene) => {
    const all = pairsIn(await groupsOf(scene, { get_all_connectors: true }))
    for (const value of ['public', 'private', 'sync']) {
      await filtered(scene, all, { access_type_filters: [value] }, ({ access_type }) => access_type === value)
    }
    const statuses = ['success', 'failed', 'in_progress', 'not_started', 'canceled', 'completed_with_errors']
    for (const value of statuses) {
      await filtered(scene, all, { last_status_filters: [value] }, ({ last_status }) => last_status === value)
    }
    await several(scene, all)
    await empty(scene)
    await paged(scene, all)
    await named(scene, all)
    await counted(scene, all)
  })
]

/**
 * Asks with a filter. Rows on both sides of it are needed for a result. Indexing may change rows in the meantime, so a
 * second look decides.
 */
async function filtered(
  scene: Scene,
  known: Pair[],
  body: Record<string, string | string[] | number>,
  passes: (pair: Pair) => boolean
): Promise<void> {
  const title = JSON.stringify(body)
  for (let look = 1; ; look++) {
    const all = look === 1 ? known : pairsIn(await groupsOf(scene, { get_all_connectors: true }))
    const found = pairsIn(await groupsOf(scene, { ...body, get_all_connectors: true }))
    const wanted = all.filter(passes)
    const wrong = found.filter((pair) => !passes(pair))
    const shown = new Set(found.map((pair) => pair.cc_pair_id))
    const lost = wanted.filter(({ cc_pair_id }) => !shown.has(cc_pair_id))
    if (look === 1 && wrong.length + lost.length > 0) continue
    const ids = (pairs: Pair[]) => pairs.map((pair) => pair.cc_pair_id).join(', ')
    scene.check('filter_respected', id, wrong.length === 0, `only connectors that pass ${title}`, `also ${ids(wrong)}`)
    scene.check('filter_respected', id, lost.length === 0, `all connectors that pass ${title}`, `not ${ids(lost)}`)
    if (wanted.length > 0 && wanted.length < all.length) return
    const side = wanted.length === 0 ? 'passes' : 'fails'
    return scene.run.results.couldNot(id, title, `no connector ${side} a filter of the indexing status`)
  }
}

/** Two values of one filter mean either of them; two filters mean both. */
async function several(scene: Scene, all: Pair[]): Promise<void> {
  const [first, second] = [...new Set(all.map((pair) => pair.access_type))]
  const [one, other] = [...new Set(all.flatMap(({ last_status }) => last_status ?? []))]
  if (first !== undefined && second !== undefined) {
    const either = (pair: Pair) => pair.access_type === first || pair.access_type === second
    await filtered(scene, all, { access_type_filters: [first, second] }, either)
  }
  if (one !== undefined && other !== undefined) {
    const either = ({ last_status: status }: Pair) => status === one || status === other
    await filtered(scene, all, { last_status_filters: [one, other] }, either)
  }
  if (first === undefined || one === undefined) return
  const body = { access_type_filters: [first], last_status_filters: [one] }
  await filtered(scene, all, body, (pair) => pair.access_type === first && pair.last_status === one)
}

/** The default of each list is the empty one, and filters nothing. */
async function empty(scene: Scene): Promise<void> {
  for (const name of ['access_type_filters', 'last_status_filters']) {
    for (let look = 1; ; look++) {
      const all = pairsIn(await groupsOf(scene, { get_all_connectors: true })).length
      const found = pairsIn(await groupsOf(scene, { [name]: [], get_all_connectors: true })).length
      if (all !== found && look === 1) continue
      const expected = `${all} connectors for an empty ${name}, as without it`
      scene.check('filter_respected', id, all === found, expected, `${found}`)
      break
    }
  }
}

/** Filtered pages are as full as others, and the next request is not affected by the filter. */
async function paged(scene: Scene, all: Pair[]): Promise<void> {
  const [largest] = groupBy(all, (pair) => pair.source).sort(([, a], [, b]) => b.length - a.length)
  const source = largest?.[1][0]?.source
  if (source === undefined) return
  for (const access_type of new Set(all.map((pair) => pair.access_type))) {
    for (let look = 1; ; look++) {
      const { full = 0 } = (await pagesOf(scene, {}, source)) ?? {}
      const filter = { access_type_filters: [access_type] }
      const { sizes = [] } = (await pagesOf(scene, filter, source)) ?? {}
      const isFull = sizes.slice(0, -1).every((size) => size >= full)
      const { reply } = await scene.ask(id, { body: { ...filter, source_to_page: { [source]: 2 } } })
      const second = reply.status < 300 ? pairsIn(reply.body as IndexingStatusGroup[]) : []
      const other = second.find((pair) => pair.access_type !== access_type)
      if ((!isFull || other) && look === 1) continue
      const only = `only connectors that are ${access_type}, on the second page too`
      scene.check('filter_respected', id, !other, only, `the connector ${other?.cc_pair_id}`)
      const expected = `pages of ${full} connectors of ${source} that are ${access_type}, but for the last`
      scene.check('paging_consistent', id, isFull, expected, `pages of ${sizes.join(', ')}`)
      break
    }
  }
}

/** Each request has its own filters. */
async function forgotten(scene: Scene, body: Parameters<typeof groupsOf>[1]): Promise<void> {
  for (let look = 1; ; look++) {
    const before = pairsIn(await groupsOf(scene, { get_all_connectors: true })).length
    await groupsOf(scene, { ...body, get_all_connectors: true })
    const after = pairsIn(await groupsOf(scene, { get_all_connectors: true })).length
    if (before !== after && look === 1) continue
    const expected = `${before} connectors, as before a request with ${JSON.stringify(body)}`
    return void scene.check('filter_respected', id, before === after, expected, `${after}`)
  }
}

/** The description does not say how names match. The whole name must match, and an unrelated one must not. */
async function named(scene: Scene, all: Pair[]): Promise<void> {
  const [some] = all.filter((pair) => pair.name)
  if (!some?.name) return scene.run.results.couldNot(id, 'name_filter', 'no connector has a name')
  const word = some.name.toLowerCase()
  const found = pairsIn(await groupsOf(scene, { name_filter: some.name, get_all_connectors: true }))
  const isThere = found.some((pair) => pair.cc_pair_id === some.cc_pair_id)
  scene.check('ensure_resource_availability', id, isThere, `the connector ${some.name}`)
  const words = word.split(/\W+/).filter((it) => it.length > 2)
  const isAlike = ({ name }: Pair) =>
    words.some((it) => name?.toLowerCase().includes(it)) || name?.toLowerCase().includes(word)
  const wrong = found.find((pair) => !isAlike(pair))
  scene.check('filter_respected', id, wrong === undefined, `only connectors named ${some.name}`, `also ${wrong?.name}`)
  const nobody = pairsIn(await groupsOf(scene, { name_filter: scene.run.mark('nobody'), get_all_connectors: true }))
  scene.check('filter_respected', id, nobody.length === 0, 'no connector: none has that name')
  await forgotten(scene, { name_filter: some.name })
}

/**
 * The description does not give the operator's name. It is learned from the server's document or from its reaction to a
 * wrong value.
 */
async function counted(scene: Scene, all: Pair[]): Promise<void> {
  const name = await operatorName(scene)
  const counts = [...new Set(all.map((pair) => pair.docs_indexed))].sort((a, b) => a - b)
  // A count in the middle, so that > differs from both >= and <.
  const value = counts[Math.floor(counts.length / 2)]
  if (name === undefined || value === undefined) {
    const why = name === undefined ? 'no name is known for the operator' : 'there is no connector'
    return scene.run.results.couldNot(id, 'the comparison of docs_count_value', why)
  }
  const isKnown = name === 'docs_count_operator' || name === 'docs_count_comparison'
  if (isKnown) scene.run.answers.add('indexing.operator-name', name, 'a filter by it')
  for (const [operator, holds] of Object.entries(compare)) {
    const body = { [name]: operator, docs_count_value: value }
    await filtered(scene, all, body, ({ docs_indexed }) => holds(docs_indexed, value))
  }
  // A number that is easily mistaken for none.
  if (counts.includes(0)) {
    await filtered(scene, all, { [name]: '>', docs_count_value: 0 }, ({ docs_indexed }) => docs_indexed > 0)
  }
}

async function operatorName(scene: Scene): Promise<string | undefined> {
  const { run } = scene
  const told = run.hints?.body(run, id).map((hint) => hint.name) ?? []
  const names = told.filter((name) => /operator|comparison|comparator|_op$/.test(name))
  for (const name of new Set([...names, ...operators])) {
    const { reply } = await run.exactly(id, { body: { [name]: 'kcm', docs_count_value: 0 } })
    if (reply.status !== 422) continue
    const { detail } = reply.body as { detail: { loc: unknown[]; type: string }[] }
    // Rejecting unknown names does not show that the server knows this one.
    if (detail?.some?.(({ loc, type }) => loc.includes(name) && !/extra/.test(type))) return name
  }
  for (const name of operators) {
    const look = async (operator: string) => {
      const { reply } = await run.exactly(id, { body: { [name]: operator, docs_count_value: 0 } })
      return reply.status < 300 ? pairsIn(reply.body as IndexingStatusGroup[]).map((pair) => pair.docs_indexed) : []
    }
    const [less, more] = [await look('<'), await look('>')]
    if (less.length !== more.length && less.every((it) => it < 0)) return name
  }
  return undefined
}

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
  return groups.flatMap((group) => group.indexing_statuses).filter((item) => 'cc_pair_id' in item)
}

/** The connectors on the pages of a source for this body. */
export interface Pages {
  /** The number of the first page, as the server reports it. */
  first: number
  sizes: number[]
  /** The number of connectors on the first page. There may be federated ones in addition. */
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
    const ids = pages.found.filter((item) => 'cc_pair_id' in item).map((item) => item.cc_pair_id)
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
