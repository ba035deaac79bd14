import { isObject } from '../../engine/contract/load.js'
import type { Asker, Exchange } from './calls/client.js'
import type { Input } from './calls/request.js'
import { type Id, type RowKind, readers } from './kinds.js'
import { type FieldNames, namesOf } from './learn/any-reply.js'
import type { KnownRows } from './rows.js'
import type { Run } from './run.js'

/** Where a value was read: the operation, the row, and the path in it. Rows in the path are given by id. */
export type ValuePath = string[]

/** A sample of everything that can be read. */
export interface World {
  /** The bodies of successes, by place. */
  bodies: Map<string, { place: ValuePath; body: unknown }>
  /** The calls without an answer, about which nothing is known. */
  unread: Set<string>
  known: FieldNames
}

/** Rows to read in addition to the known ones. */
export type MoreRows = Partial<Record<RowKind, readonly Id[]>>

/** Fields that clocks and lifecycles change. */
export const moving =
  /^(time_|last_|created_at$|status$|in_|docs_indexed$|latest_|token_count$|chunk_count$|is_up_to_date$|summary$|total_|current_page$|temp_id$|cc_pair_status$|indexing_start$)/

/** The number of rows to read per kind. */
const most = 4

/** A call that reads a part of the sample. */
type Read = [id: string, input: Input, as: Asker, known?: Exchange | undefined]

/** From this length in characters, about 4,000 rows, a reply counts as large. Then it is read only this often. */
const large = 1_000_000
const mostLargeReads = 32

/** Reads the sample as both users. */
export async function worldOf(run: Run, rows: KnownRows, watched: MoreRows = {}): Promise<World> {
  const unread = new Set<string>()
  const reads: Read[] = [
    ['listCredentials', {}, 'admin'],
    ['getIndexingStatus', { body: { get_all_connectors: true } }, 'admin']
  ]
  for (const kind of ['persona', 'connector', 'credential', 'file'] as const) {
    const own = rows.own(kind).slice(0, most)
    const others = rows.readable(kind).filter((id) => !own.includes(id))
    const ids = new Set([...own, ...others.slice(0, most), ...(watched[kind] ?? [])])
    for (const id of ids) reads.push([readers[kind] as string, { path: { [`${kind}_id`]: id } }, 'admin'])
  }
  const askers: Asker[] = run.settings.userToken === undefined ? ['admin'] : ['admin', 'user']
  for (const as of askers) {
    const listed = await readOf(run, ['listProjects', {}, as])
    reads.push(['getUserRole', {}, as], ['listChatSessions', {}, as], ['listProjects', {}, as, listed])
    if (!listed) unread.add(nameOf('getProjectDetails', as))
    const body = listed?.reply.body
    for (const project of (Array.isArray(body) ? body : []).slice(0, most)) {
      reads.push(['getProjectDetails', { path: { project_id: project?.id } }, as])
    }
  }
  return worldBy(run, reads, unread)
}

/** The sample that these calls read. */
export async function worldBy(run: Run, reads: Read[], unread = new Set<string>()): Promise<World> {
  const world: World = { bodies: new Map(), unread, known: namesOf(run) }
  const replies = await Promise.all(reads.map((read) => (read.length > 3 ? read[3] : readOf(run, read))))
  for (const [index, exchange] of replies.entries()) {
    const [id, { path = {} }, as] = reads[index] as Read
    const name = nameOf(id, as)
    const place = [name, ...Object.values(path).map(String)]
    if (!exchange) world.unread.add(name)
    else if (exchange.reply.status < 300) world.bodies.set(place.join(' '), { place, body: exchange.reply.body })
  }
  return world
}

/** A reply that is not known yet. Undefined if there is none, or if it is large and was read often enough. */
async function readOf(run: Run, [id, input, as]: Read): Promise<Exchange | undefined> {
  const key = JSON.stringify([id, input, as])
  const times = run.largeReads.get(key) ?? 0
  if (times >= mostLargeReads) {
    const why = `a reply with so many rows is compared ${mostLargeReads} times in a run`
    run.results.couldNot(id, 'what calls of other operations change in its rows', why)
    return undefined
  }
  const exchange = await run.tried(id, input, as)
  if (exchange && exchange.reply.text.length > large) run.largeReads.set(key, times + 1)
  return exchange
}

function nameOf(id: string, as: Asker): string {
  return `${id} of ${as === 'user' ? 'the second user' : 'the administrator'}`
}

/** How a place differs. */
export type DifferenceKind = 'added' | 'removed' | 'changed'

/** Whether a call was expected to change a place. */
export type IsExpected = (place: ValuePath, how: DifferenceKind) => boolean

/** A place that differs, and how, in words. */
export interface Difference {
  place: ValuePath
  key: string
  text: string
}

/** Compares what both worlds have read. Rows of lists are compared by id. Equal bodies cost nothing. */
export function differences(before: World, after: World, isMeant: IsExpected = () => false): Difference[] {
  const found: Difference[] = []
  for (const [key, { place }] of new Map([...before.bodies, ...after.bodies])) {
    const [read] = place as [string]
    if (before.unread.has(read) || after.unread.has(read)) continue
    const [was, is] = [before.bodies.get(key)?.body, after.bodies.get(key)?.body]
    compare(before.known, place, was, is, (at, old, now) => {
      const how = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed'
      if (!isMeant(at, how)) {
        const name = at.join(' ')
        found.push({ place: at, key: name, text: `${name}: ${old ?? 'absent'}, then ${now ?? 'absent'}` })
      }
    })
  }
  return found
}

type Note = (place: ValuePath, was: string | undefined, is: string | undefined) => void

/** Notes each place that differs. A null field counts as missing. Undocumented fields are ignored. */
function compare(known: FieldNames, place: ValuePath, was: unknown, is: unknown, note: Note, isFree = false): void {
  if (was === is || isUnsteady(was) || isUnsteady(is)) return
  const [old, now] = [textOf(was), textOf(is)]
  if (old !== now) note(place, old, now)
  const [before, after] = [partsOf(was), partsOf(is)]
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const isField = isObject(was) || isObject(is)
    if (isField && (moving.test(name) || !(isFree || known.named.has(name)))) continue
    const isInside = isFree || (isField && known.free.has(name))
    compare(known, [...place, name], before.get(name), after.get(name), note, isInside)
  }
}

/** A row that changes by itself: a file that is processed or deleted, or a page. */
function isUnsteady(value: unknown): boolean {
  if (!isObject(value)) return false
  const { status, total_pages } = value
  return status === 'PROCESSING' || status === 'DELETING' || (typeof total_pages === 'number' && total_pages > 1)
}

/** The part of a value that is compared directly. Lists have only parts. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || Array.isArray(value)) return undefined
  return isObject(value) ? 'there' : JSON.stringify(value)
}

function partsOf(value: unknown): Map<string, unknown> {
  if (!Array.isArray(value)) return new Map(isObject(value) ? Object.entries(value) : [])
  const named = (item: unknown): [string, unknown] =>
    isObject(item) ? [String(item.id ?? item.cc_pair_id ?? item.source), item] : [String(item), 'there']
  return new Map(value.map(named))
}
