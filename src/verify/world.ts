import { isObject } from '../contract/load.js'
import { type Known, namesOf } from './any-reply.js'
import type { Input } from './request.js'
import type { RowsKnown } from './rows.js'
import type { Asker, Run } from './run.js'

/** Where a value was read: the operation, the row that it names, and the way to it, in which rows stand by their ids. */
type Place = string[]

/** A sample of all that can be read, by place. */
export type World = Map<string, { place: Place; value: string }>

/** What clocks and lifecycles change. */
const moving =
  /^(time_|last_|created_at$|status$|in_|docs_indexed$|latest_|token_count$|chunk_count$|is_up_to_date$|summary$|total_|current_page$|temp_id$|cc_pair_status$|indexing_start$)/

/** How many rows of a kind are read. */
const most = 4

/** Reads it, as both users. */
export async function worldOf(run: Run, rows: RowsKnown): Promise<World> {
  const reads: [string, Input, Asker][] = [
    ['listCredentials', {}, 'admin'],
    ['getIndexingStatus', { body: { get_all_connectors: true } }, 'admin']
  ]
  for (const kind of ['persona', 'connector', 'credential', 'file'] as const) {
    const reader = { persona: 'getPersona', connector: 'getConnector', credential: 'getCredential', file: 'getFile' }[
      kind
    ]
    const own = rows.own(kind).slice(0, most)
    const others = rows.readable(kind).filter((id) => !own.includes(id))
    for (const id of [...own, ...others.slice(0, most)]) reads.push([reader, { path: { [`${kind}_id`]: id } }, 'admin'])
  }
  const askers: Asker[] = run.settings.userToken === undefined ? ['admin'] : ['admin', 'user']
  for (const as of askers) {
    reads.push(['getUserRole', {}, as], ['listChatSessions', {}, as], ['listProjects', {}, as])
    const { body } = (await run.ask('listProjects', {}, as)).reply
    for (const project of (Array.isArray(body) ? body : []).slice(0, most)) {
      reads.push(['getProjectDetails', { path: { project_id: project?.id } }, as])
    }
  }
  const world: World = new Map()
  const replies = await Promise.all(reads.map(([id, input, as]) => run.ask(id, input, as)))
  for (const [index, { reply }] of replies.entries()) {
    const [id, { path = {} }, as] = reads[index] as [string, Input, Asker]
    const start = [
      `${id} of ${as === 'user' ? 'the second user' : 'the administrator'}`,
      ...Object.values(path).map(String)
    ]
    add(world, namesOf(run), start, reply.status < 300 ? reply.body : `refused`)
  }
  return world
}

/** A field that is null is as one that is left out; of fields that nobody documented nothing is known. */
function add(world: World, known: Known, place: Place, value: unknown, isFree = false): void {
  if (Array.isArray(value)) {
    for (const item of value) {
      const id = isObject(item) ? (item.id ?? item.cc_pair_id ?? item.source) : undefined
      if (isObject(item)) add(world, known, [...place, String(id)], item, isFree)
      else world.set([...place, String(item)].join(' '), { place: [...place, String(item)], value: 'there' })
    }
  } else if (isObject(value)) {
    world.set(place.join(' '), { place, value: 'there' })
    for (const [name, item] of Object.entries(value)) {
      if (moving.test(name) || !(isFree || known.named.has(name))) continue
      add(world, known, [...place, name], item, isFree || known.free.has(name))
    }
  } else if (value !== undefined && value !== null) {
    world.set(place.join(' '), { place, value: JSON.stringify(value) })
  }
}

/** What differs, in words. `isMeant`: whether a call was to change what stands there. */
export function differences(before: World, after: World, isMeant: (place: Place) => boolean): string[] {
  const told: string[] = []
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(key), after.get(key)]
    const { place } = (was ?? is) as { place: Place }
    if (was?.value !== is?.value && !isMeant(place))
      told.push(`${key}: ${was?.value ?? 'absent'}, then ${is?.value ?? 'absent'}`)
  }
  return told
}
