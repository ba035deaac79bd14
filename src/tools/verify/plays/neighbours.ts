import { isObject, type JsonObject } from '../../../engine/contract/load.js'
import { groupBy } from '../../texts.js'
import { type Id, isSameId, type RowIds } from '../api.js'
import type { Asker, Exchange } from '../calls/client.js'
import { Stopped } from '../calls/patience.js'
import type { Input } from '../calls/request.js'
import { endOf, namesOf } from '../judge.js'
import { type KnownRows, merged, rowsAt } from '../rows.js'
import type { Run } from '../run.js'
import type { Play, Scene } from '../scene.js'

/** Where a value was read: the operation, the row, and the path in it. Rows in the path are given by id. */
export type ValuePath = string[]

/** A sample of everything that can be read. */
type World = Awaited<ReturnType<typeof worldBy>>

/** A call that reads a part of the sample, with its reply if that is known. */
type Read = { id: string; input: Input; as: Asker; reply?: Exchange | undefined }

/** The number of rows to read per kind. */
const mostRows = 3
/** From this length in characters, about 4,000 rows, a reply counts as large. Then it is read only this often. */
const large = 1_000_000
const mostLargeReads = 32
/**
 * How often a call is repeated after a change that may come from another client, and how often the rows are read without it. A
 * client that changes them at random moments then passes for the call in fewer than one of 8,000 cases, whatever its pace is.
 */
const repeats = { calls: 3, idle: 12 }
/** Another client does not change a value between this many reads. */
const rereads = 5

/** Reads the sample as both users. `watched`: rows to read in addition to the known ones. `only`: by these operations. */
async function worldOf(run: Run, rows: KnownRows, watched: RowIds = {}, only?: ReadonlySet<string>): Promise<World> {
  const { entrances, kinds, state, shows } = run.api
  const most = Math.min(mostRows, run.most)
  const reads: Read[] = state.admin.map(([id, input]) => ({ id, input, as: 'admin' }))
  for (const [kind, { name, read }] of Object.entries(kinds)) {
    if (read === undefined || Object.values(state.rows).includes(kind)) continue
    const own = rows.own(kind).slice(0, most)
    const others = rows.readable(kind).filter((id) => !own.includes(id))
    const ids = new Set([...own, ...others.slice(0, most), ...(watched[kind] ?? [])])
    for (const id of ids) reads.push({ id: read, input: { path: { [name]: id } }, as: 'admin' })
  }
  const unread = new Set<string>()
  const isRead = (id: string) => only?.has(id) ?? true
  for (const as of run.users) {
    for (const id of entrances) {
      const kind = state.rows[id] ?? ''
      const { name = '', read = '' } = kinds[kind] ?? {}
      const call: Read = { id, input: {}, as }
      if (read === '') reads.push(call)
      if (read === '' || !(isRead(id) || isRead(read))) continue
      const reply = await readOf(run, call)
      reads.push({ ...call, reply })
      if (!reply) unread.add(nameOf(read, as))
      const listed = rowsAt(reply?.reply.body, shows[id]?.[kind] ?? []).map((row) => row.id as Id)
      const own = listed.filter((it) => rows.own(kind).includes(it)).slice(0, most)
      for (const it of new Set([...own, ...listed.slice(0, most)]))
        reads.push({ id: read, input: { path: { [name]: it } }, as })
    }
  }
  const chosen = reads.filter(({ id }) => isRead(id))
  return worldBy(run, chosen, unread)
}

/** The sample that these calls read. */
async function worldBy(run: Run, reads: Read[], unread = new Set<string>()) {
  const bodies = new Map<string, { place: ValuePath; body: unknown; read: Read }>()
  const replies = await Promise.all(reads.map((read) => ('reply' in read ? read.reply : readOf(run, read))))
  for (const [index, exchange] of replies.entries()) {
    const { id, input, as } = reads[index] as Read
    const place = [nameOf(id, as), ...Object.values(input.path ?? {}).map(String)]
    if (!exchange) unread.add(nameOf(id, as))
    else if (exchange.reply.status < 300)
      bodies.set(place.join(' '), { place, body: exchange.reply.body, read: { id, input, as } })
  }
  // Nothing is known about the calls without an answer.
  return { bodies, unread }
}

/** The reply. Undefined if there is none, or if it is large and was read often enough. */
async function readOf(run: Run, { id, input, as }: Read): Promise<Exchange | undefined> {
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

/** Whether a call was expected to change a place. */
export type IsExpected = (place: ValuePath, how: 'added' | 'removed' | 'changed') => boolean

/** A place that differs, and how, in words. */
interface Difference {
  place: ValuePath
  /** The call that has read it. */
  read: Read
  /** What was read. */
  in: string
  key: string
  text: string
  /** The same for all rows that come or go in a list. */
  pattern: string
}

/** Compares what both worlds have read. Rows of lists are compared by id. Equal bodies cost nothing. */
function differences(run: Run, before: World, after: World, isMeant: IsExpected = () => false): Difference[] {
  const names = namesOf(run)
  const list: Difference[] = []
  for (const [key, { place, read }] of new Map([...before.bodies, ...after.bodies])) {
    const name = place[0] as string
    if (before.unread.has(name) || after.unread.has(name)) continue
    compare(read, place, before.bodies.get(key)?.body, after.bodies.get(key)?.body)
  }
  return list

  /** Notes each place that differs. A null field counts as missing. Undocumented fields are ignored. */
  function compare(read: Read, place: ValuePath, was: unknown, is: unknown, isFree = false): void {
    const isUnsteady = [was, is].some((it) => isObject(it) && run.api.state.isUnsteady(it))
    if (was === is || isUnsteady) return
    const [old, now] = [textOf(was), textOf(is)]
    const how = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed'
    if (old !== now && !isMeant(place, how)) {
      const key = place.join(' ')
      const shape = place.map((step) => (how === 'changed' || !/^\d+$|^[\da-f]{8}-/i.test(step) ? step : '*'))
      const text = `${key}: ${old ?? 'absent'}, then ${now ?? 'absent'}`
      list.push({ place, read, in: place[0] as string, key, text, pattern: `${shape.join(' ')} ${how}` })
    }
    const isField = isObject(was) || isObject(is)
    const [parts, newParts] = [partsOf(was), partsOf(is)]
    for (const name of new Set([...parts.keys(), ...newParts.keys()])) {
      if (isField && (run.api.state.moving.test(name) || !(isFree || names.named.has(name)))) continue
      const isInFree = isFree || (isField && names.free.has(name))
      compare(read, [...place, name], parts.get(name), newParts.get(name), isInFree)
    }
  }

  function partsOf(value: unknown): Map<string, unknown> {
    if (!Array.isArray(value)) return new Map(isObject(value) ? Object.entries(value) : [])
    const idOf = (item: JsonObject) => run.api.state.ids.map((name) => item[name]).find((id) => (id ?? null) !== null)
    const entryOf = (item: unknown): [string, unknown] =>
      isObject(item) ? [String(idOf(item)), item] : [String(item), 'there']
    return new Map(value.map(entryOf))
  }
}

/** The part of a value that is compared directly. Lists have only parts. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || Array.isArray(value)) return undefined
  return isObject(value) ? 'there' : JSON.stringify(value)
}

/** Reading changes nothing. A value that changes with each read was not changed by another client. */
export function readingPlay({ entrances, kinds, state }: Run['api']): Play {
  const operations = [
    ...entrances,
    ...state.admin.map(([id]) => id),
    ...Object.values(kinds).flatMap(({ read }) => read ?? [])
  ]
  return { title: 'reading changes nothing', operations, mutating: false, play: readAgain }
}

async function readAgain(scene: Scene): Promise<void> {
  const { run, rows } = scene
  const changes = differences(run, await worldOf(run, rows), await worldOf(run, rows))
  for (const [read, group] of groupBy(changes, (it) => it.read)) {
    let each = new Set(group.map(({ key }) => key))
    let last = await worldBy(run, [read])
    for (let look = 1; look < rereads && each.size > 0; look++) {
      const now = await worldBy(run, [read])
      each = new Set(differences(run, last, now).flatMap(({ key }) => (each.has(key) ? [key] : [])))
      last = now
    }
    const [key] = each
    if (key === undefined) continue
    await scene.ask(read.id, read.input, undefined, read.as)
    return void scene.check('others_untouched', read.id, false, 'the same each time', `each time another ${key}`)
  }
}

export interface PreparedCall {
  /** Rows to read in addition to the known ones. */
  watched?: RowIds
  act(): Promise<unknown>
  /** Whether a change at a place is expected. Called after the call. */
  isMeant: IsExpected
  /** It expects changes in rows that it does not name. */
  isWide?: boolean
}

/** Whether a place is in the row with this id. */
export const has = (id: Id | undefined, place: ValuePath): boolean => place.some((step) => isSameId(step, id))

/** Whether a place was read by this operation, and from this row if one is given. */
export function isOf([first, row]: ValuePath, operation: string, id?: Id): boolean {
  return (first as string).startsWith(`${operation} `) && (id === undefined || row === String(id))
}

/** A row and likely neighbours of it, with those of rows before it that are deleted. */
export function neighbours(id: Id): Id[] {
  return typeof id === 'number' ? [-5, -4, -3, -2, -1, 0, 1, 2].map((step) => id + step).filter((it) => it >= 0) : [id]
}

/** What differs after a call, or without one after a pause. */
type Look<Of> = (pause?: () => Promise<void>) => Promise<Of[]>

/**
 * The differences that a call makes. One counts at once in rows that no one else changes, or if it shows a text of this run.
 * Another client may have made any other one: that counts only if it appears whenever the call is made, and never without it, in
 * a random order. What cannot be decided is reported.
 */
export async function madeByCall<Of extends Omit<Difference, 'place' | 'read'>>(
  scene: Scene,
  id: string,
  first: Of[],
  look: Look<Of>,
  isSure: (it: Of) => boolean
): Promise<Of[] | undefined> {
  const { run } = scene
  const counts = (it: Of) => run.isMarked(it.text) || isSure(it)
  let changes = first
  if (changes.length === 0 || changes.some(counts)) return changes
  const calls = Array.from({ length: repeats.calls }, () => true)
  const rounds = [...calls, ...Array.from({ length: repeats.idle }, () => false)]
  let duration = 0
  let isRepeated = false
  for (let isFirst = true; rounds.length > 0; isFirst = false) {
    changes = changes.filter(({ pattern }) => !run.moving.has(pattern))
    if (changes.length === 0) break
    // The first round is a call, because most changes of others happen only once.
    const [isCalled] = isFirst ? rounds.splice(0, 1) : rounds.splice(run.random.next(rounds.length), 1)
    const start = run.bounds.time.now()
    // The pause is about as long as a call.
    const pause = () => run.bounds.time.sleep(duration * (0.5 + run.random.next(100) / 100))
    const again = await look(isCalled ? undefined : pause).catch((error: unknown) => {
      if (!isCalled || !(error instanceof Stopped)) throw error
      return undefined
    })
    if (isCalled) duration = Math.max(duration, run.bounds.time.now() - start)
    if (!isCalled) for (const { pattern } of again ?? []) run.moving.add(pattern)
    if (!isCalled || again === undefined) continue
    isRepeated = true
    if (again.some(counts)) return again
    const patterns = new Set(changes.map(({ pattern }) => pattern))
    changes = again.filter(({ pattern }) => patterns.has(pattern))
  }
  if (changes.length > 0 && isRepeated) return changes
  const [one] = first as [Of]
  const isMoving = run.moving.has(one.pattern)
  scene.couldNot(id, isMoving ? unsure.moving : unsure.once, isMoving ? `what it changes in ${one.in}` : one.key)
  return undefined
}

/** Why a change is not a finding. */
export const unsure = {
  moving: 'others change it at the same time',
  once: 'it changed once, which may be another client'
}

/** Reads everything before and after a call. Only expected changes are allowed. */
export async function leavesTheRest(scene: Scene, id: string, prepare: Prepare): Promise<void> {
  const { run, rows } = scene
  let watched: RowIds | undefined
  let only: ReadonlySet<string> | undefined
  const look: Look<Difference> = async (pause) => {
    try {
      const { act, isMeant, ...call } = pause ? { act: pause, isMeant: () => false } : await prepare()
      if (!pause) watched = (call as PreparedCall).watched
      const world = () => worldOf(run, rows, watched, only)
      const before = await world()
      await act()
      return differences(run, before, await world(), isMeant)
    } finally {
      await scene.restore()
    }
  }
  const first = await look()
  only = new Set(first.map(({ read }) => read.id))
  const changes = await madeByCall(scene, id, first, look, ({ place }) => rows.isOwn(place))
  if (!changes) return
  const got = changes.slice(0, 3).map(({ text }) => text)
  // A row of this run that appears late was left out before.
  const late = changes.find(({ place, pattern }) => pattern.endsWith(' added') && run.made.isThere(place))
  const cause = late && { shownBy: late.read.id, fault: 'lacks' as const }
  const expected = `nothing changed but what ${id} names`
  scene.check('others_untouched', id, changes.length === 0, expected, got.join('; '), cause)
}

type Prepare = () => Promise<PreparedCall>
type PreparedBy = readonly [id: string, Prepare]

/** Looks at several calls in turn, and at each alone if something differs. `isChange`: they change something. */
export async function eachLeavesTheRest(scene: Scene, isChange: boolean, chosen: readonly PreparedBy[]) {
  const stopped = (id: string) => (error: unknown) => {
    const end = endOf(scene.run, error)
    if (end.message) scene.run.results.stopped(id, scene.title, end)
  }
  const calls: [id: string, call: PreparedCall][] = []
  for (const [id, prepare] of chosen.length > 1 ? chosen : []) {
    const call = await prepare().catch(stopped(id))
    if (call) calls.push([id, call])
  }
  if (calls.length > 0 && (await leaveTheRest(scene, calls, isChange))) return
  await scene.restore()
  for (const [id, prepare] of chosen) await leavesTheRest(scene, id, prepare).catch(stopped(id))
}

/**
 * Reads everything before and after several calls, and between those that expect changes in rows that they do not name. Returns
 * false if one of them changes what none of them names, or cannot be made: then each has to be looked at alone.
 */
async function leaveTheRest(scene: Scene, calls: readonly [id: string, call: PreparedCall][], isChange: boolean) {
  const { run, rows } = scene
  const watched = merged(calls.map(([, call]) => call.watched ?? {}))
  try {
    let before = await worldOf(run, rows, watched)
    const batch: [id: string, call: PreparedCall][] = []
    for (const [at, [id, call]] of calls.entries()) {
      await call.act()
      batch.push([id, call])
      const next = calls[at + 1]?.[1]
      if (next && !(isChange && (call.isWide || next.isWide))) continue
      const after = await worldOf(run, rows, watched)
      const isMeant: IsExpected = (place, how) => isChange && batch.some(([, it]) => it.isMeant(place, how))
      const isSure = (it: Difference) => rows.isOwn(it.place) || run.isMarked(it.text)
      const changes = differences(run, before, after, isMeant)
      const open = changes.filter((it) => !run.moving.has(it.pattern) || isSure(it))
      if (open[0]) {
        // If one of the calls does it, it does it again when each is looked at alone.
        if (!open.some(isSure)) for (const [name] of batch) scene.couldNot(name, unsure.once, open[0].key)
        return false
      }
      if (changes[0]) scene.couldNot(id, unsure.moving, `what it changes in ${changes[0].in}`)
      before = after
      batch.splice(0)
    }
  } catch (error) {
    endOf(run, error)
    return false
  }
  for (const [id] of calls) scene.check('others_untouched', id, true, `nothing changed but what ${id} names`)
  return true
}
