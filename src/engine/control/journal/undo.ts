import { isDeepStrictEqual } from 'node:util'
import { Refusal } from '../../contract/message/refusal.js'
import { Invalid } from '../../contract/pydantic/explain.js'
import type { Override } from '../../overrides/overrides.js'
import type { Moment, RecordedChange } from '../../sandbox/history.js'
import { historyOf, type Sandbox } from '../../sandbox/sandbox.js'
import type { AnyRow } from '../../store/collection.js'
import { collectionOf } from '../../store/rows.js'
import type { ControlContext, ControlRules } from '../rule.js'
import { readRow, referrersOf, Uniqueness } from '../state/check-rows.js'
import { numberIn, pastBy } from './past.js'

/** What else has changed since, so that a change cannot be undone alone. */
class ChangedSince extends Error {}

export const undoRules: ControlRules<'undoChange'> = {
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
