import { isDeepStrictEqual } from 'node:util'
import type { Api } from '../../api.js'
import type { Contract } from '../../contract/contract.js'
import type { Choices, JsonObject } from '../../contract/load.js'
import { Refusal } from '../../contract/message/refusal.js'
import type { Operation } from '../../contract/model.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import type { Deletion, HistoryMoment, Lifecycle, RowHistory, StatusChange, Touch } from '../../contract/types.gen.js'
import { countsOf } from '../../journal/recorded.js'
import type { Override } from '../../overrides/overrides.js'
import { timestamp } from '../../sandbox/clock.js'
import type { Moment, MomentEnd, RecordedChange } from '../../sandbox/history.js'
import { momentIn, type PastMoment, realAt } from '../../sandbox/past.js'
import { historyOf, type Sandbox } from '../../sandbox/sandbox.js'
import type { AnyRow } from '../../store/collection.js'
import { collectionOf, type Store } from '../../store/rows.js'
import { type ControlContext, type ControlRules, invalid } from '../rule.js'
import { readRow, referrersOf, Uniqueness } from '../state/check-rows.js'
import { idOf } from '../state/ids.js'
import { nextStepOf, showing, statusesAt } from '../state/shown.js'
import { summary } from '../state/take-state.js'
import { hiding, nameOf } from '../state/whole-state.js'
import { firstKept, numberIn, pastBy } from './past.js'

export const historyRules: ControlRules<'getHistory' | 'goBack' | 'getRowHistory' | 'undoChange'> = {
  getHistory: ({ query: { since } }, { sandbox, contract }) => {
    const history = historyOf(sandbox)
    const first = firstKept(sandbox)
    const from = since === undefined ? undefined : numberIn(since)
    return {
      earliest: `m${history.earliest.number}`,
      latest: `m${history.latest.number}`,
      first_request: first === undefined ? null : `r${first}`,
      moments: history.controls(from).map((change) => momentOf(contract, change)),
      status_changes: statusChangesIn(contract.api, sandbox, from)
    }
  },

  goBack: ({ path: { id }, query: { elapsed = false } }, { sandbox }) => {
    const { fixtures, base, rows, ids, clock: then, choices, overrides, chance } = pastBy(sandbox, id)
    const clock = then.fork()
    if (elapsed)
      clock.set({ now: clock.now + clock.speed * (sandbox.clock.real - (momentIn(sandbox, id) as PastMoment).real) })
    sandbox.become({ fixtures, base, rows, ids, clock })
    Object.assign(sandbox, { choices, overrides, chance, scene: undefined })
    return summary(sandbox)
  },

  getRowHistory: ({ path: { collection, id: text } }, context) => {
    const id = idOf(context, collection, text)
    const hide = hiding(context, collection)
    const changes = [...statusesOf(context, collection, id), ...writesOf(context, collection, id)]
    const isThere = collectionOf(context.sandbox.rows, collection).get(id) !== undefined
    if (!isThere && changes.length === 0) throw new Refusal('unknown-row', { collection, id: text })
    const shown = (row: Row) => row && hide(row as JsonObject)
    return {
      changes: changes
        .sort((a, b) => b.number - a.number)
        .map(({ number: _, before, after, ...change }) => ({ ...change, before: shown(before), after: shown(after) }))
    }
  },

  undoChange: ({ path: { id } }, context) => {
    const { sandbox } = context
    const history = historyOf(sandbox)
    const number = numberIn(id)
    const [before, change] = [history.moment(number - 1), history.change(number)]
    if (!before || !change) {
      pastBy(sandbox, id)
      throw new Refusal('forgotten-moment', { id, known: `The history begins with ${id}.` })
    }
    try {
      if (change.replaced) throw new ChangedSince('it replaced the whole state')
      undoRows(context, change)
      undoOverrides(sandbox, before, change)
      undoChoices(sandbox, before, change)
      if (change.control === 'setClock') undoClock(sandbox, before, change)
    } catch (error) {
      const reason = error instanceof Invalid ? error.problems[0]?.msg : error instanceof ChangedSince && error.message
      if (!reason) throw error
      throw new Refusal('changed-since', { id, before: `m${before.number}`, reason })
    }
    return { undone: id }
  }
}

/** A sandbox as it was, for a fork. */
export function forkOf(origin: Sandbox | undefined, at: string | undefined, name: string): Sandbox | undefined {
  if (at === undefined) return origin
  if (origin) return pastBy(origin, at, name)
  throw invalid(['body', 'from'], 'With at, from names the sandbox to go back in.')
}

export function momentOf(contract: Contract, change: RecordedChange): HistoryMoment {
  const { number, control, of, now, real, position, writes, replaced } = change
  return {
    id: `m${number}`,
    before: `m${number - 1}`,
    operation: control as string,
    call: callOf(contract, change),
    of,
    time: timestamp(now),
    real_time: timestamp(real),
    after_request: position === 0 ? null : `r${position}`,
    ...(!replaced && { changed: countsOf(writes) })
  }
}

export function callOf(contract: Contract, { control = '', of }: RecordedChange): string {
  const { method, path } = contract.control.get(control) as Operation
  const names = path.match(/\{\w+\}/g) ?? []
  // Only a single one may have spaces.
  const values = names.length === 1 ? [of] : of.split(' ')
  return `${method} ${names.reduce((filled, name, at) => filled.replace(name, values[at] ?? name), path)}`
}

type Change = RowHistory['changes'][number]
type Row = Change['before']

/** A change, with the number of the moment that it began or came in: real times are too coarse to sort by. */
type Numbered = Change & { number: number }

/** The deletions of these rows that were the last changes of them at a moment. */
export function deletionsOf(context: ControlContext, rows: readonly Touch[], time: string): Deletion[] {
  const { contract, sandbox } = context
  const show = showing(contract.api, sandbox, sandbox.rows)
  const byKey = new Map(rows.map((row) => [`${row.collection} ${row.id}`, row]))
  return [...byKey.values()].flatMap(({ collection, id }) => {
    const last = writesOf(context, collection, id).find(({ real_time }) => real_time <= time)
    // The clock ends some deletions.
    if (!last?.before || (last.after && show(collection, last.after as AnyRow))) return []
    const { number: _, at: __, before, after: ___, ...cause } = last
    const name = nameOf({ contract, rows: sandbox.rows }, collection, hiding(context, collection)(before as JsonObject))
    return [{ collection, id, ...(name !== undefined && { name }), ...cause }]
  })
}

/** The changes by requests, control calls and programs, newest first. */
function writesOf({ sandbox, contract }: ControlContext, collection: string, id: string | number): Numbered[] {
  const history = historyOf(sandbox)
  let row: Row = rowIn(sandbox.rows, collection, id)
  const changes: Numbered[] = []
  for (const change of history.after(history.earliest)) {
    const before = change.replaced
      ? rowIn(change.replaced.rows, collection, id)
      : beforeWrites(change, collection, id, row)
    if (!isDeepStrictEqual(before, row)) {
      const [at, real_time] = [timestamp(change.now), timestamp(change.real)]
      changes.push({ number: change.number, at, real_time, ...causeOf(contract, change), before, after: row })
    }
    row = before
  }
  return changes
}

function causeOf(contract: Contract, change: RecordedChange): Pick<Change, 'request' | 'control' | 'call'> {
  const { number, request, control, isByProgram } = change
  if (isByProgram) return { control: 'program' }
  if (control !== undefined) return { control: `m${number}`, call: callOf(contract, change) }
  return request === undefined ? {} : { request }
}

function beforeWrites({ writes }: RecordedChange, collection: string, id: string | number, row: Row): Row {
  const first = writes.find((it) => it.collection === collection && it.id === id)
  return first ? ((first.before as JsonObject | undefined) ?? null) : row
}

function rowIn(rows: Store, collection: string, id: string | number): Row {
  return rows[collection]?.get(id) ?? null
}

/** The changes of its status that came with time, newest first. */
function statusesOf(
  { sandbox, contract: { api } }: ControlContext,
  collection: string,
  id: string | number
): Numbered[] {
  return statusChangesIn(api, sandbox)
    .filter((it) => it.collection === collection && it.row === id)
    .reverse()
    .map(({ id: moment, time, real_time }) => {
      const past = pastBy(sandbox, moment)
      const row = rowIn(past.rows, collection, id) as AnyRow
      const shownAt = (now: number): Row => showing(api, past, past.rows, now)(collection, row) ?? null
      const now = Date.parse(time)
      const [before, after] = [shownAt(now - 1), shownAt(now)]
      return { number: numberIn(moment), at: time, real_time, control: 'time', before, after }
    })
}

/** A row as it was from one moment, by its position in the history, until another. */
interface Version {
  collection: string
  row: AnyRow | undefined
  from: number
  until: number
}

/** Consecutive moments under the same choices, while the clock goes forward. */
type Run = { choices: Choices } & Pick<Version, 'from' | 'until'>

const most = 1000

/** The status changes that came with time since a moment, by its number, oldest first. */
function statusChangesIn(api: Api, sandbox: Sandbox, since = 0): StatusChange[] {
  const history = historyOf(sandbox)
  const changes = history.after(history.earliest).reverse()
  const moments: Moment[] = [history.earliest, ...changes]
  const ends = moments.map((moment) => history.endOf(moment, sandbox))
  const runs = runsOf(moments, ends)
  const results: { at: number; change: StatusChange }[] = []
  for (const version of versionsOf(api, sandbox, changes)) {
    for (const run of runs) {
      const from = Math.max(version.from, run.from)
      const last = Math.min(version.until, run.until) - 1
      if (from > last) continue
      const { now: begin } = moments[from] as Moment
      const { row } = version
      const { rows, ids } = sandbox
      const stepAt = (now: string) =>
        row && nextStepOf(api, version.collection, row, statusesAt({ choices: run.choices, ids }, rows, now))
      for (const step of stepsOf(stepAt, begin, (ends[last] as MomentEnd).now)) {
        const { collection, id, name, status, next, at: time } = step
        const now = Date.parse(time as string)
        let at = last
        while (at > from && (moments[at] as Moment).now >= now) at -= 1
        const moment = moments[at] as Moment
        if (moment.number < since) continue
        const change = { collection, row: id, name, from: status, to: next as string, time: time as string }
        const real_time = timestamp(realAt(moment, ends[at] as MomentEnd, now))
        results.push({ at, change: { id: `m${moment.number}.${now - moment.now}`, ...change, real_time } })
      }
    }
  }
  return results
    .sort((a, b) => a.at - b.at || Date.parse(a.change.time) - Date.parse(b.change.time))
    .slice(-most)
    .map(({ change }) => change)
}

/** The changes of a row that come only with time. */
function* stepsOf(stepAt: (now: string) => Lifecycle | undefined, begin: number, end: number) {
  let step: Lifecycle | undefined
  for (let now = begin; ; now = Date.parse(step.at as string)) {
    step = stepAt(timestamp(now))
    const time = Date.parse(step?.at ?? '')
    if (!step?.next || !(time > now && time <= end)) return
    yield step
  }
}

/** There are few runs, so that a row is read once for many moments. */
function runsOf(moments: readonly Moment[], ends: readonly MomentEnd[]): Run[] {
  const runs: Run[] = []
  moments.forEach(({ choices, now }, at) => {
    const run = runs.at(-1)
    if (run?.choices === choices && (ends[at - 1] as MomentEnd).now <= now) run.until = at + 1
    else runs.push({ from: at, until: at + 1, choices })
  })
  return runs
}

/** Every row that existed since the earliest moment, in each of its versions. */
function* versionsOf(
  { lifecycles }: Api,
  { rows: store }: Sandbox,
  changes: readonly RecordedChange[]
): IterableIterator<Version> {
  /** The rows before the changes seen so far, and until when. */
  const before = new Map<string, Omit<Version, 'from'>>()
  let until = changes.length + 1
  for (let from = changes.length; from >= 0; from--) {
    const { replaced, writes = [] } = changes[from - 1] ?? {}
    if (replaced || from === 0) {
      for (const collection of Object.keys(lifecycles)) {
        for (const row of collectionOf(store, collection).all()) {
          if (!before.has(`${collection} ${row.id}`)) yield { collection, row, from, until }
        }
      }
      for (const version of before.values()) yield { ...version, from }
    }
    if (replaced) {
      before.clear()
      store = replaced.rows
      until = from
    }
    for (const write of writes) {
      const { collection } = write
      const [row, after] = [write.before, write.after] as Version['row'][]
      const key = `${collection} ${write.id}`
      if (!lifecycles[collection]) continue
      yield { collection, row: after, from, until: before.get(key)?.until ?? until }
      before.set(key, { collection, row, until: from })
    }
  }
}

/** What else has changed since, so that a change cannot be undone alone. */
class ChangedSince extends Error {}

/** A deleted row returns, an added one goes, and a changed one gets the former values of what the change has set. */
function undoRows({ sandbox: { rows, clock }, contract }: ControlContext, { writes }: RecordedChange): void {
  const put: [collection: string, row: AnyRow][] = []
  const remove: [collection: string, id: AnyRow['id']][] = []
  const first = new Map(writes.toReversed().map((write) => [`${write.collection} ${write.id}`, write]))
  const last = new Map(writes.map((write) => [`${write.collection} ${write.id}`, write]))
  for (const [name, { collection, id, before }] of first) {
    const after = last.get(name)?.after
    const row = rowBefore(before as AnyRow, after as AnyRow, collectionOf(rows, collection).get(id), name)
    if (row) put.push([collection, row])
    else remove.push([collection, id])
  }
  for (const [collection, row] of put) collectionOf(rows, collection).put(row)
  for (const [collection, id] of remove) collectionOf(rows, collection).remove(id)
  for (const [collection, id] of remove) {
    const [referrer] = referrersOf(contract, rows, collection, id)
    if (referrer) throw new ChangedSince(`${referrer} refers to ${collection} ${id} by now`)
  }
  const unique = new Uniqueness(contract, rows)
  for (const [collection, row] of put) {
    readRow(contract, { rows, clock }, collection, row)
    unique.refuse(collection, row)
  }
}

/** The row as it is now, without a change of it. Undefined: the change has added it. */
function rowBefore(before: AnyRow | undefined, after: AnyRow | undefined, now: AnyRow | undefined, name: string) {
  const isChange = before && after && now
  const fields =
    isChange && Object.keys({ ...before, ...after }).filter((it) => !isDeepStrictEqual(before[it], after[it]))
  const isSame = fields ? fields.every((it) => isDeepStrictEqual(now[it], after[it])) : isDeepStrictEqual(now, after)
  if (!isSame) throw new ChangedSince(`${name} has changed since`)
  return fields ? ({ ...now, ...Object.fromEntries(fields.map((it) => [it, before[it]])) } as AnyRow) : before
}

const weatherIn = (list: readonly Override[]) => list.find(({ weather }) => weather !== undefined)?.weather

/** Added ones are removed, removed ones come back, and changed ones are as before. Uses since then still count. */
function undoOverrides(
  { overrides }: Sandbox,
  { overrides: before }: Moment,
  { overrides: after }: RecordedChange
): void {
  const isIn = (list: readonly Override[]) => (override: Override) => list.some(({ id }) => id === override.id)
  const added = after.filter((it) => !isIn(before)(it))
  const isWeatherApart = ![weatherIn(before), weatherIn(overrides.list)].includes(weatherIn(after))
  if (weatherIn(before) !== weatherIn(after) && isWeatherApart) throw new ChangedSince('the weather has changed since')
  const put = before.flatMap((override) => {
    const now = overrides.find(override.id)
    const then = after.find(({ id }) => id === override.id)
    if (then === override) return []
    if (then ? now?.off !== then.off : now) throw new ChangedSince(`override ${override.id} has changed since`)
    return [{ ...override, used: now?.used ?? override.used }]
  })
  overrides.follow({ made: overrides.made, put, remove: added.map(({ id }) => id) })
}

function undoChoices(sandbox: Sandbox, { choices: before }: Moment, { choices: after }: RecordedChange): void {
  const changed = Object.keys(after).filter((id) => before[id] !== after[id])
  for (const id of changed) {
    if (sandbox.choices[id] !== after[id]) throw new ChangedSince(`${id} has changed since`)
  }
  sandbox.choices = { ...sandbox.choices, ...Object.fromEntries(changed.map((id) => [id, before[id] as string])) }
}

/** The clock shows what it would without the change. */
function undoClock({ clock }: Sandbox, before: Moment, after: RecordedChange): void {
  const shownAfter = ({ now, real, speed }: Moment) => now + speed * (clock.real - real)
  // Later changes of it that were undone do not count. Moments are whole milliseconds.
  const isMoved = Math.abs(clock.now - shownAfter(after)) > 2 * Math.max(1, after.speed)
  if (isMoved || clock.speed !== after.speed) throw new ChangedSince('the clock was set since')
  clock.set({ now: shownAfter(before), speed: before.speed })
}
