import { isObject } from '../../contract/load.js'
import type { Input } from './calls/request.js'
import { type FieldNames, namesOf } from './learn/any-reply.js'
import type { Id, KnownRows, RowKind } from './rows.js'
import type { Asker, Run } from './run.js'

/** Where a value was read: the operation, the row, and the path in it. Rows in the path are given by id. */
export type ValuePath = string[]

/** A sample of everything that can be read, by place. */
export interface World {
  rows: Map<string, { place: ValuePath; value: string }>
  /** Places where rows come and go by themselves: files that are processed or deleted, and pages. */
  moving: Set<string>
  /** What was not answered: of it nothing is known. */
  unread: Set<string>
}

/** Rows to read in addition to the known ones. */
export type MoreRows = Partial<Record<RowKind, readonly Id[]>>

/** Fields that clocks and lifecycles change. */
export const moving =
  /^(time_|last_|created_at$|status$|in_|docs_indexed$|latest_|token_count$|chunk_count$|is_up_to_date$|summary$|total_|current_page$|temp_id$|cc_pair_status$|indexing_start$)/

/** Kinds of rows that are read one by one. */
const readers = {
  persona: 'getPersona',
  connector: 'getConnector',
  credential: 'getCredential',
  file: 'getFile'
} as const

/** The number of rows to read per kind. */
const most = 4

/** A call that reads a part of the sample. */
type Read = [id: string, input: Input, as: Asker]

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
    for (const id of ids) reads.push([readers[kind], { path: { [`${kind}_id`]: id } }, 'admin'])
  }
  const askers: Asker[] = run.settings.userToken === undefined ? ['admin'] : ['admin', 'user']
  for (const as of askers) {
    reads.push(['getUserRole', {}, as], ['listChatSessions', {}, as], ['listProjects', {}, as])
    const listed = await run.tried('listProjects', {}, as)
    if (!listed) unread.add(nameOf('getProjectDetails', as))
    const body = listed?.reply.body
    for (const project of (Array.isArray(body) ? body : []).slice(0, most)) {
      reads.push(['getProjectDetails', { path: { project_id: project?.id } }, as])
    }
  }
  return worldBy(run, reads, unread)
}

/** What these calls read. */
export async function worldBy(run: Run, reads: Read[], unread = new Set<string>()): Promise<World> {
  const world: World = { rows: new Map(), moving: new Set(), unread }
  const replies = await Promise.all(reads.map(([id, input, as]) => run.tried(id, input, as)))
  for (const [index, exchange] of replies.entries()) {
    const [id, { path = {} }, as] = reads[index] as Read
    const name = nameOf(id, as)
    const start = [name, ...Object.values(path).map(String)]
    if (!exchange) world.unread.add(name)
    else if (exchange.reply.status < 300) add(world, namesOf(run), start, exchange.reply.body)
  }
  return world
}

function nameOf(id: string, as: Asker): string {
  return `${id} of ${as === 'user' ? 'the second user' : 'the administrator'}`
}

/** A null field counts as missing. Undocumented fields are ignored. */
function add(world: World, known: FieldNames, place: ValuePath, value: unknown, isFree = false): void {
  const note = (at: ValuePath, it: string) => world.rows.set(at.join(' '), { place: at, value: it })
  if (Array.isArray(value)) {
    for (const item of value) {
      const id = isObject(item) ? (item.id ?? item.cc_pair_id ?? item.source) : undefined
      if (isObject(item)) add(world, known, [...place, String(id)], item, isFree)
      else note([...place, String(item)], 'there')
    }
  } else if (isObject(value)) {
    note(place, 'there')
    const isPage = typeof value.total_pages === 'number' && value.total_pages > 1
    if (value.status === 'PROCESSING' || value.status === 'DELETING' || isPage) world.moving.add(place.join(' '))
    for (const [name, item] of Object.entries(value)) {
      if (moving.test(name) || !(isFree || known.named.has(name))) continue
      add(world, known, [...place, name], item, isFree || known.free.has(name))
    }
  } else if (value !== undefined && value !== null) note(place, JSON.stringify(value))
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

export function differences(before: World, after: World, isMeant: IsExpected = () => false): Difference[] {
  const told: Difference[] = []
  const movers = [...before.moving, ...after.moving]
  for (const key of new Set([...before.rows.keys(), ...after.rows.keys()])) {
    const [was, is] = [before.rows.get(key), after.rows.get(key)]
    if (was?.value === is?.value) continue
    if (movers.some((row) => key === row || key.startsWith(`${row} `))) continue
    const { place } = (was ?? is) as { place: ValuePath }
    const [read] = place as [string]
    if (before.unread.has(read) || after.unread.has(read)) continue
    const text = `${key}: ${was?.value ?? 'absent'}, then ${is?.value ?? 'absent'}`
    if (!isMeant(place, !was ? 'added' : is ? 'changed' : 'removed')) told.push({ place, key, text })
  }
  return told
}
