import { groupBy } from '../../../tools/texts.js'
import { isReadable, repeated } from '../../../tools/verify/judge.js'
import { locsOf } from '../../../tools/verify/learn/readings.js'

import type { DocumentSource, IndexingStatusGroup } from '../types.gen.js'
import { type Play, reading, type Scene } from './scene.js'

const id = 'getIndexingStatus'

type Pair = Extract<IndexingStatusGroup['indexing_statuses'][number], { cc_pair_id: number }>
type Body = Record<string, boolean | string | number | string[] | Record<string, number>>
type Finding = Parameters<Scene['check']>

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

const accessTypes = ['public', 'private', 'sync']
const lastStatuses = ['success', 'failed', 'in_progress', 'not_started', 'canceled', 'completed_with_errors']

const mostPages = 20

export function groupsOf(scene: Scene, body: Body): Promise<IndexingStatusGroup[]> {
  return scene.must(id, { body })
}

/** The connectors that pass a filter, without federated ones, whose fields are unknown. */
export async function pairsOf(scene: Scene, filter: Body = {}): Promise<Pair[]> {
  return pairsIn(await groupsOf(scene, { ...filter, get_all_connectors: true }))
}

function pairsIn(groups: IndexingStatusGroup[]): Pair[] {
  return groups.flatMap((group) => group.indexing_statuses).filter((item) => 'cc_pair_id' in item)
}

function idsOf(pairs: readonly Pair[]): number[] {
  return pairs.map((pair) => pair.cc_pair_id)
}

/** E16: totals and pages agree, and a filter shows all matching connectors, and only those. */
export const indexingPlays: Play[] = [
  reading('the pages of the indexing status', [id], async (scene) => {
    const all = await groupsOf(scene, { get_all_connectors: true })
    const plain = await groupsOf(scene, {})
    const sources = all.map((group) => group.source)
    scene.unique(id, sources)
    for (const group of all) {
      const { source, summary, indexing_statuses: items, total_pages } = group
      const pairs = pairsIn([group])
      const isOne = pairs.every((item) => item.source === source)
      scene.check('filter_respected', id, isOne, `only connectors of ${source} in its group`)
      const one = plain.find((it) => it.source === source)
      const isShown = one?.total_pages === 1 && one.current_page <= 1 && one.indexing_statuses.length === items.length
      if (!isShown) await eachOnOnePage(scene, source)
      if (total_pages > 1) continue
      const total = summary.total_connectors
      // The description does not say whether federated connectors count.
      const isWhole = total === items.length || total === pairs.length
      const expected = `${total} connectors of ${source}, as its summary says`
      scene.check('paging_consistent', id, isWhole, expected, `${items.length}`)
      const odd = pairs.find(({ in_progress, last_status: last }) => {
        return last && last !== 'not_started' && in_progress !== (last === 'in_progress')
      })
      const progress = `in_progress for connectors of ${source} whose last_status is in_progress`
      scene.check('values_read_back', id, !odd, progress, `${odd?.cc_pair_id}, which is ${odd?.last_status}`)
      const open = pairs.filter(({ access_type }) => access_type === 'public').length
      const most = open + Math.max(total - pairs.length, 0)
      const count = summary.public_connectors
      const isOpen = count >= open && count <= most
      scene.check('paging_consistent', id, isOpen, `${open} public connectors of ${source}`, `${count}`)
      // Connectors may share documents, and a federated one may have any number.
      const docs = pairs.map(({ docs_indexed }) => docs_indexed)
      const fewest = Math.max(0, ...docs)
      const all = items.length > pairs.length ? Infinity : docs.reduce((sum, it) => sum + it, 0)
      const indexed = summary.total_docs_indexed
      const between = `${fewest} to ${all} documents of ${source}, as its connectors say`
      scene.check('paging_consistent', id, indexed >= fewest && indexed <= all, between, `${indexed}`)
    }
    const [first] = all
    const pageOf = async () => (await groupsOf(scene, {})).find((it) => it.source === first?.source)?.current_page
    await twice(scene, async () => {
      const before = await pageOf()
      if (first) await beyond(scene, first.source)
      const after = await pageOf()
      return [['paging_consistent', id, before === after, `page ${before}: no other is asked for`, `page ${after}`]]
    })
  }),
  reading('the filters of the indexing status', [id], async (scene) => {
    const all = await pairsOf(scene)
    const accesses = new Set(all.map((pair) => pair.access_type))
    const statuses = new Set(all.flatMap(({ last_status }) => last_status ?? []))
    // Two values of one filter mean either of them, two filters mean both, and an empty one filters nothing.
    const filters: [access: string[], status: string[]][] = [
      ...accessTypes.map((value): [string[], string[]] => [[value], []]),
      ...lastStatuses.map((value): [string[], string[]] => [[], [value]]),
      [[...accesses].slice(0, 2), []],
      [[], [...statuses].slice(0, 2)],
      [[...accesses].slice(0, 1), [...statuses].slice(0, 1)],
      [[], []]
    ]
    for (const [types, last] of filters.slice(0, 4 * scene.run.most)) {
      const body = { access_type_filters: types, last_status_filters: last }
      const isIn = (list: string[], value: unknown) => list.length === 0 || list.includes(value as string)
      await filtered(scene, all, body, (it) => isIn(types, it.access_type) && isIn(last, it.last_status))
    }
    await paged(scene, all)
    await named(scene, all)
    await counted(scene, all)
  })
]

/** Checks what a look finds. Indexing may change rows in the meantime, so a second look decides. */
async function twice(scene: Scene, look: (times: number) => Promise<Finding[]>): Promise<void> {
  let findings = await look(1)
  if (findings.some(([, , passes]) => !passes)) findings = await look(2)
  for (const finding of findings) scene.check(...finding)
}

/** Asks with a filter. Rows on both sides of it are needed for a result. */
async function filtered(scene: Scene, pairs: Pair[], body: Body, passes: (pair: Pair) => boolean): Promise<void> {
  const title = JSON.stringify(body)
  let all = pairs
  await twice(scene, async (times) => {
    if (times > 1) all = await pairsOf(scene)
    const matches = await pairsOf(scene, body)
    const shown = new Set(idsOf(matches))
    const wrong = idsOf(matches.filter((pair) => !passes(pair)))
    const lost = idsOf(all.filter(passes)).filter((it) => !shown.has(it))
    return [
      ['filter_respected', id, wrong.length === 0, `only connectors that pass ${title}`, `also ${wrong.join(', ')}`],
      ['filter_respected', id, lost.length === 0, `all connectors that pass ${title}`, `not ${lost.join(', ')}`]
    ]
  })
  const passing = all.filter(passes).length
  if (passing > 0 && passing < all.length) return
  scene.couldNot(id, `no connector ${passing === 0 ? 'passes' : 'fails'} a filter of the indexing status`, title)
}

/** Filtered pages are as full as others, and the next request is not affected by the filter. */
async function paged(scene: Scene, all: Pair[]): Promise<void> {
  const [largest] = groupBy(all, (pair) => pair.source).sort(([, a], [, b]) => b.length - a.length)
  const source = largest?.[1][0]?.source
  if (source === undefined) return
  for (const access_type of new Set(all.map((pair) => pair.access_type))) {
    await twice(scene, async () => {
      const { full = 0 } = (await pagesOf(scene, {}, source)) ?? {}
      const filter = { access_type_filters: [access_type] }
      const whole = (await pairsOf(scene, filter)).filter((pair) => pair.source === source).length
      const { sizes = [], found = [] } = (await pagesOf(scene, filter, source)) ?? {}
      const second = await scene.may(id, { body: { ...filter, source_to_page: { [source]: 2 } } })
      const other = pairsIn(second ?? []).find((pair) => pair.access_type !== access_type)
      const only = `only connectors that are ${access_type}, on the second page too`
      const isWhole = found.length >= whole || sizes.length >= mostPages
      const isFull = isWhole && sizes.slice(0, -1).every((size) => size >= full)
      const expected = `${whole} connectors of ${source} that are ${access_type}, on pages of ${full} but for the last`
      return [
        ['filter_respected', id, !other, only, `the connector ${other?.cc_pair_id}`],
        ['paging_consistent', id, isFull, expected, `pages of ${sizes.join(', ')}`]
      ]
    })
  }
}

/** The description does not say how names match. The whole name must match, and an unrelated one must not. */
async function named(scene: Scene, all: Pair[]): Promise<void> {
  const [some] = all.filter((pair) => pair.name)
  if (!some?.name) return scene.couldNot(id, 'no connector has a name', 'name_filter')
  const filter = { name_filter: some.name }
  const word = some.name.toLowerCase()
  const matches = await pairsOf(scene, filter)
  const isThere = idsOf(matches).includes(some.cc_pair_id)
  scene.check('ensure_resource_availability', id, isThere, `the connector ${some.name}`)
  const words = [word, ...word.split(/\W+/).filter((it) => it.length > 2)]
  const wrong = matches.find(({ name }) => !words.some((it) => name?.toLowerCase().includes(it)))
  scene.check('filter_respected', id, wrong === undefined, `only connectors named ${some.name}`, `also ${wrong?.name}`)
  const nobody = await pairsOf(scene, { name_filter: scene.mark('nobody') })
  scene.check('filter_respected', id, nobody.length === 0, 'no connector: none has that name')
  // Each request has its own filters.
  await twice(scene, async () => {
    const before = (await pairsOf(scene)).length
    await pairsOf(scene, filter)
    const after = (await pairsOf(scene)).length
    const expected = `${before} connectors, as before a request with ${JSON.stringify(filter)}`
    return [['filter_respected', id, before === after, expected, `${after}`]]
  })
}

/** The operator's name is learned: from the server's document, or from its reaction to a wrong value. */
async function counted(scene: Scene, all: Pair[]): Promise<void> {
  const name = await operatorName(scene)
  const counts = [...new Set(all.map((pair) => pair.docs_indexed))].sort((a, b) => a - b)
  // A count in the middle, so that > differs from both >= and <.
  const value = counts[Math.floor(counts.length / 2)]
  if (name === undefined || value === undefined) {
    const why = name === undefined ? 'no name is known for the operator' : 'there is no connector'
    return scene.couldNot(id, why, 'the comparison of docs_count_value')
  }
  const isKnown = name === 'docs_count_operator' || name === 'docs_count_comparison'
  if (isKnown) scene.answer('indexing.operator-name', name, 'a filter by it')
  for (const [operator, passes] of Object.entries(compare)) {
    const body = { [name]: operator, docs_count_value: value }
    await filtered(scene, all, body, ({ docs_indexed }) => passes(docs_indexed, value))
  }
  const wrong = { body: { [name]: '!=', docs_count_value: value } }
  await scene.refused('negative_data_rejection', id, wrong, '422: the operator is none of >, < and =')
  // A number that is easily mistaken for none.
  for (const operator of counts.includes(0) ? (['>', '='] as const) : (['='] as const)) {
    const body = { [name]: operator, docs_count_value: 0 }
    await filtered(scene, all, body, ({ docs_indexed }) => compare[operator](docs_indexed, 0))
  }
}

async function operatorName({ run }: Scene): Promise<string | undefined> {
  const documented = run.hints?.body(run.operation(id)).map((hint) => hint.name) ?? []
  const names = documented.filter((name) => /operator|comparison|comparator|_op$/.test(name))
  const probe = (name: string, operator: string) => run.exactly(id, { body: { [name]: operator, docs_count_value: 0 } })
  const refusing: string[] = []
  for (const name of new Set([...names, ...operators])) {
    const exchange = await probe(name, 'kcm')
    // Rejecting unknown names does not show that the server knows this one.
    const isKnown = locsOf(exchange).some((loc) => loc.includes(name)) && !/extra/.test(exchange.reply.text)
    if (isKnown) refusing.push(name)
    if (isKnown && (await filters(name))) return name
  }
  for (const name of refusing.length > 0 ? [] : operators) if (await filters(name)) return name
  return refusing[0]

  async function filters(name: string): Promise<boolean> {
    const look = async (operator: string) => {
      const exchange = await probe(name, operator)
      const groups = isReadable(run, exchange) ? (exchange.reply.body as IndexingStatusGroup[]) : []
      return pairsIn(groups).map((pair) => pair.docs_indexed)
    }
    const [less, more] = [await look('<'), await look('>')]
    return less.length !== more.length && less.every((it) => it < 0)
  }
}

/** Reads the pages of a source that has several, and finds what is wrong with them. */
async function pagesOf(scene: Scene, body: Body, source: DocumentSource) {
  const groupOf = (groups: IndexingStatusGroup[]) => groups.find((it) => it.source === source)
  const start = groupOf(await groupsOf(scene, body))
  if (!start) return undefined
  const { current_page: first, total_pages } = start
  const pages = {
    /** The number of connectors on each page, and on the first one without federated ones. */
    sizes: [] as number[],
    full: pairsIn([start]).length,
    found: [] as Pair[],
    problem: first === 0 || first === 1 ? undefined : `the first page is ${first}`
  }
  for (let page = first; page < first + Math.min(total_pages, mostPages); page++) {
    const groups = await groupsOf(scene, { ...body, source_to_page: { [source]: page } })
    const group = groupOf(groups)
    const turned = groups.find((it) => it.source !== source && it.current_page !== first)
    if (turned)
      pages.problem ??= `page ${page} of ${source} is said to be page ${turned.current_page} of ${turned.source}`
    if (group?.current_page !== page) pages.problem ??= `page ${page} is said to be page ${group?.current_page}`
    pages.sizes.push(group?.indexing_statuses.length ?? 0)
    pages.found.push(...pairsIn(group ? [group] : []))
  }
  if (total_pages > mostPages) return pages
  const short = pages.sizes.slice(0, -1).find((size) => size < pages.full)
  if (short !== undefined) pages.problem ??= `pages of ${pages.sizes.join(', ')} connectors`
  return pages
}

/** Each connector of a source must be on one page. */
async function eachOnOnePage(scene: Scene, source: DocumentSource): Promise<void> {
  await twice(scene, async () => {
    const all = idsOf((await pairsOf(scene)).filter((pair) => pair.source === source))
    const pages = await pagesOf(scene, {}, source)
    if (!pages || pages.sizes.length >= mostPages) return []
    const ids = idsOf(pages.found)
    const shown = new Set(ids)
    const lost = all.filter((it) => !shown.has(it))
    const two = repeated(ids)
    const wrong = two === undefined ? undefined : `${two} is on two pages`
    const problem = pages.problem ?? wrong ?? (lost.length > 0 ? `${lost.length} of them are on none` : undefined)
    const expected = `the connectors of ${source}, each on one page`
    return [['paging_consistent', id, problem === undefined, expected, problem]]
  })
}

/** The description does not say what comes after the last page: nothing, or the last page again. */
async function beyond(scene: Scene, source: DocumentSource): Promise<void> {
  const groups = await scene.may(id, { body: { source_to_page: { [source]: 9999 } } })
  if (!groups) return
  const group = groups.find((it) => it.source === source)
  const choice = !group ? 'omit-empty' : group.indexing_statuses.length === 0 ? 'keep-empty' : 'last-page'
  scene.answer('indexing.paging', choice, 'page 9999')
}
