import { type Json, type JsonObject, schemaOf } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import { madeByCall } from '../../../tools/verify/plays/neighbours.js'
import { contains, type Scene } from '../../../tools/verify/scene.js'
import { answer, counted, hidesSecrets, isKey, keysOf, type Part, read, shownOf, steady } from './checks.js'
import {
  accepted,
  bodyFor,
  created,
  hasDefault,
  isItem,
  type Listing,
  listed,
  type Made,
  type Owners,
  ownersOf,
  pagingOf,
  pathOf,
  type Rows,
  rowIn,
  sentIn,
  takes,
  withFields
} from './rows.js'

/** What is created is found, changes as requests say, and is gone after it was deleted. Other rows stay as they are. */
export const life: Part = async (scene, rows) => {
  const { create, read: reading, list, change, replace, remove, key } = rows
  if (!create && !scene.run.settings.source) return
  const owners = await ownersOf(scene, rows)
  const before = list && (await listed(scene, rows, owners))
  const one = await created(scene, rows, owners)
  if (create) {
    hidesSecrets(scene, rows, create, one.sent)
    scene.shows(create.id, one.row, shownOf(scene, rows, create, one.sent, one.row))
    const location = one.exchange.reply.headers.location === undefined ? 'absent' : 'sent'
    if (one.exchange.reply.status === 201) answer(scene, create, 'create.location', location, 'of a new row')
  }
  const two = await created(scene, rows, owners)
  if (create)
    scene.check('unique_rows', create.id, !isKey(two.key, one.key), `another ${key} than that of the row before`)
  if (reading && create) {
    const row = await read(scene, rows, owners, one.key)
    hidesSecrets(scene, rows, reading, one.sent)
    scene.shows(reading.id, row, { ...steady(one.row, row), ...shownOf(scene, rows, create, one.sent, row, true) })
  }
  if (owners.length > 0) await belongs(scene, rows, owners, one)
  if (list && before) await isListed(scene, rows, owners, [one, two], before)
  for (const operation of [change, replace]) {
    if (!operation) continue
    const other = await read(scene, rows, owners, two.key)
    const kept = await read(scene, rows, owners, one.key)
    // Each kind of change has its own values.
    const body = await bodyFor(scene, rows, operation)
    const path = pathOf(scene, operation, [...owners, one.key])
    const all = list && (await listed(scene, rows, owners))
    const { reply } = await accepted(scene, operation, { path, body })
    const sent = sentIn(rows, body)
    const shown = rowIn(rows, reply.body)
    if (shown) scene.shows(operation.id, shown, shownOf(scene, rows, operation, sent, shown))
    const row = await read(scene, rows, owners, one.key)
    scene.shows(operation.id, row, shownOf(scene, rows, operation, sent, row))
    const rest = Object.fromEntries(Object.entries(steady(kept)).filter(([name]) => !Object.hasOwn(sent, name)))
    if (operation === change) scene.shows(operation.id, row, rest)
    const same = contains(await read(scene, rows, owners, two.key), steady(other))
    scene.check('others_untouched', operation.id, same, `the row ${two.key} as it was`)
    if (list) {
      const now = await listed(scene, rows, owners)
      if (all) await untouched(scene, rows, owners, operation, [all, now], one.key)
      const item = now.rows.find((it) => isKey(it[key], one.key))
      if (item) scene.shows(list.id, item, shownOf(scene, rows, operation, sent, item))
    }
    await partly(scene, rows, operation, owners, one.key)
  }
  if (remove) await deleted(scene, rows, owners, one, two)
}

/** A change of one field leaves the others, and a PUT without optional fields removes or keeps them. */
async function partly(scene: Scene, rows: Rows, operation: Operation, owners: Owners, key: Json): Promise<void> {
  const path = pathOf(scene, operation, [...owners, key])
  const whole = await bodyFor(scene, rows, operation)
  await accepted(scene, operation, { path, body: whole })
  const before = await read(scene, rows, owners, key)
  const small = await bodyFor(scene, rows, operation, false)
  const least = sentIn(rows, small)
  const full = shownOf(scene, rows, operation, sentIn(rows, whole), before)
  const optional = Object.keys(full).filter((name) => !Object.hasOwn(least, name))
  const [first, ...others] = optional
  if (operation.method === 'PATCH' && first !== undefined) {
    // The value of another body, so that it is a change.
    const value = sentIn(rows, await bodyFor(scene, rows, operation))[first] as Json
    const body = withFields(rows, small, { [first]: value })
    await accepted(scene, operation, { path, body })
    const row = await read(scene, rows, owners, key)
    scene.shows(operation.id, row, { ...Object.fromEntries(others.map((name) => [name, full[name]])), [first]: value })
    return
  }
  if (operation.method !== 'PUT' || optional.length === 0) return
  await accepted(scene, operation, { path, body: small })
  const row = await read(scene, rows, owners, key)
  // A value that every row without the field has shows nothing.
  const bare = rows.create && (await created(scene, rows, owners, await bodyFor(scene, rows, rows.create, false))).row
  const isSet = (name: string) => hasDefault(scene, rows, operation, name) || contains(bare?.[name], full[name])
  const telling = optional.filter((name) => !isSet(name))
  const kept = telling.filter((name) => contains(row[name], full[name]))
  if (telling.length === 0)
    scene.couldNot(operation.id, 'what it does with absent fields: each has a default', 'put.absent')
  else if (kept.length === telling.length || kept.length === 0)
    answer(scene, operation, 'put.absent', kept.length > 0 ? 'kept' : 'removed', `without ${telling.join(', ')}`)
}

/** Another row of the same kind as the owner does not have the row. */
async function belongs(scene: Scene, rows: Rows, owners: Owners, one: Made): Promise<void> {
  const { parent, read: reading, list } = rows
  if (!parent?.create) return
  const isNested = (of: Operation) => of.path.split('{').length - 1 - (isItem(of) ? 1 : 0) >= owners.length
  const others = [...owners.slice(0, -1), (await created(scene, parent, owners.slice(0, -1))).key]
  if (reading && isNested(reading)) {
    const { status } = (await scene.ask(reading.id, { path: pathOf(scene, reading, [...others, one.key]) })).reply
    scene.check('unknown_id_refused', reading.id, status >= 400, 'a refusal: the row belongs to another one')
  }
  if (!list || !isNested(list)) return
  const isThere = (await listed(scene, rows, others)).rows.some((it) => isKey(it[rows.key], one.key))
  scene.check('filter_respected', list.id, !isThere, 'only rows of the row that the path names')
}

/** The other rows of a list are as they were before a call. */
async function untouched(
  scene: Scene,
  rows: Rows,
  owners: Owners,
  operation: Operation,
  [was, is]: [Listing, Listing],
  named: Json
): Promise<void> {
  const { collection, key } = rows
  const isNew = operation === rows.create
  const changesIn = (before: Listing, after: Listing, changed: Json) => {
    if (!before.isWhole || !after.isWhole) return []
    const now = new Map(after.rows.map((it) => [String(it[key]), it]))
    return before.rows.flatMap((old) => {
      const [id, row] = [old[key] as Json, now.get(String(old[key]))]
      if (isKey(id, changed) || (row && (isNew || contains(row, steady(old))))) return []
      const [name] = Object.entries(steady(old)).find(([it, value]) => row && row[it] !== value) ?? ['removed']
      const text = row ? `${name}: ${row[name]}` : 'no such row'
      return [{ id, in: collection.name, key: `the row ${id}`, text, pattern: `${collection.name} ${name}` }]
    })
  }
  const look = async (duration?: number) => {
    const target = isNew || duration !== undefined ? undefined : await created(scene, rows, owners)
    const body = target && operation.input.body && (await bodyFor(scene, rows, operation))
    const before = await listed(scene, rows, owners)
    if (target) await accepted(scene, operation, { path: pathOf(scene, operation, [...owners, target.key]), body })
    else if (isNew && duration === undefined) await created(scene, rows, owners)
    else await scene.run.bounds.time.sleep((duration ?? 0) * (0.5 + scene.run.random.next(100) / 100))
    return changesIn(before, await listed(scene, rows, owners), target?.key ?? '')
  }
  const isOwn = ({ id }: { id: Json }) => scene.run.made.has(id, collection.name)
  const found = await madeByCall(scene, operation.id, changesIn(was, is, named), look, isOwn)
  const [one] = found ?? []
  if (found) scene.check('others_untouched', operation.id, !one, `${one?.key} as it was`, one?.text)
}

/** New rows are in the list, which counts them. */
async function isListed(scene: Scene, rows: Rows, owners: Owners, made: Made[], before: Listing): Promise<void> {
  const list = rows.list as Operation
  const { id } = list
  const after = await listed(scene, rows, owners)
  const growth = after.rows.length - before.rows.length
  if (after.isFixed && growth === 0 && before.rows.length > 0) {
    answer(scene, list, 'pages.size', String(after.rows.length), 'after two new rows')
    throw new Stopped('its list has a fixed number of rows')
  }
  await counted(scene, rows, owners, after, { hasGrown: true })
  const known = new Set([...keysOf(rows, before.rows), ...made.map((it) => String(it.key))])
  const twice = after.rows.find(
    (it) => !known.has(String(it[rows.key])) && made.some((one) => isCopy(shownOf(scene, rows, list, one.sent, it), it))
  )
  if (rows.create) scene.check('unique_rows', rows.create.id, !twice, 'one new row', `also ${twice?.[rows.key]}`)
  const [first, second] = made.map(({ key }) => after.rows.findIndex((it) => isKey(it[rows.key], key))) as [
    number,
    number
  ]
  if (!after.isWhole && (first < 0 || second < 0)) throw new Stopped('its list is too long to be read')
  const lost = [first, second].indexOf(-1)
  scene.check('ensure_resource_availability', id, lost < 0, `the new row ${made[lost]?.key}`)
  if (lost >= 0) throw new Stopped()
  if (rows.create)
    await untouched(scene, rows, owners, rows.create, [{ ...before, isWhole: true }, after], (made[0] as Made).key)
  await ordered(scene, rows, owners, made)
  const item = after.rows[first] as JsonObject
  scene.shows(id, item, steady((made[0] as Made).row, item))
  const { documents } = scene.run.readings.first
  for (const [name, schema] of Object.entries(pagingOf(rows).properties)) {
    const value = sentIn(rows, (made[0] as Made).body)[name]
    if (value === undefined || item[name] !== value) continue
    if (typeof value !== 'string' || !value.startsWith('kcm')) {
      // A value that no row has finds none.
      const other = Array.from({ length: 8 }, (_, at) =>
        scene.run.readings.first.sample(schemaOf(documents, schema), at, at)
      ).find((it) => typeof it === typeof value && !after.rows.some((row) => row[name] === it))
      if (other === undefined || !takes(scene, list, 'query', { query: { [name]: other } })) continue
      const none = await listed(scene, rows, owners, { query: { [name]: other } })
      const isRespected = !none.rows.some((it) => it[name] === value)
      scene.check('filter_respected', id, isRespected, `only rows with ${name} ${other}`)
      continue
    }
    const some = await listed(scene, rows, owners, { query: { [name]: value } })
    const isOne = some.rows.length === 1 && isKey(some.rows[0]?.[rows.key], (made[0] as Made).key)
    scene.check('filter_respected', id, isOne, `only the row with ${name} ${value}`, `${some.rows.length} rows`)
  }
  const { search } = pagingOf(rows)
  const text = Object.values(item).find((it) => typeof it === 'string' && it.startsWith('kcm')) as string | undefined
  if (search === undefined || text === undefined) return
  const finds = async (query: string) =>
    (await listed(scene, rows, owners, { query: { [search]: query } })).rows.some(
      (it) => it[rows.key] === item[rows.key]
    )
  const { rows: hits } = await listed(scene, rows, owners, { query: { [search]: text } })
  const miss = hits.find((it) => !JSON.stringify(it).includes(text))
  const isIgnored = miss !== undefined && hits.length === after.rows.length && hits.length > 2
  scene.check('filter_respected', id, !isIgnored, `only rows with ${text}`, `the row ${miss?.[rows.key]} too`)
  if (await finds(text)) {
    const isAny = await finds(text.toUpperCase())
    answer(scene, list, 'search.case', isAny ? 'any' : 'exact', 'with a search in capitals')
  }
}

/** The order of a list, by rows whose ids are in another order than the rows. Numbers usually follow each other. */
async function ordered(scene: Scene, rows: Rows, owners: Owners, made: readonly Made[]): Promise<void> {
  const list = rows.list as Operation
  const keys = made.map(({ key }) => key)
  const byId = () => [...keys].sort((a, b) => ((a as string) < (b as string) ? -1 : 1)).join()
  const isApart = () => typeof keys[0] === 'number' || ![keys, keys.toReversed()].some((it) => it.join() === byId())
  while (keys.length < 3 || (!isApart() && keys.length < 6)) keys.push((await created(scene, rows, owners)).key)
  const all = keysOf(rows, (await listed(scene, rows, owners)).rows)
  const seen = all.filter((it) => keys.some((key) => isKey(key, it))).join()
  const isNewestFirst = seen === keys.toReversed().join()
  if (isNewestFirst === (seen === byId()))
    scene.couldNot(list.id, 'the order of new rows fits no choice, or both', 'rows.order')
  else answer(scene, list, 'rows.order', isNewestFirst ? 'newest-first' : 'ids', `after ${keys.length} new rows`)
}

/** Whether a row has all values of another one, and one that only this run sends. */
const isCopy = (sent: JsonObject, row: JsonObject) =>
  contains(row, sent) && Object.values(sent).some((it) => typeof it === 'string' && it.startsWith('kcm'))

/** A deleted row is gone, in its list too, and others stay. */
async function deleted(scene: Scene, rows: Rows, owners: Owners, one: Made, two: Made): Promise<void> {
  const { remove, read: reading, list, create } = rows as Rows & { remove: Operation }
  const path = pathOf(scene, remove, [...owners, one.key])
  const all = list && (await listed(scene, rows, owners))
  await accepted(scene, remove, { path })
  if (reading) {
    const { status } = (await scene.ask(reading.id, { path: pathOf(scene, reading, [...owners, one.key]) })).reply
    scene.check('use_after_free', reading.id, status >= 400, `no row ${one.key}: it is deleted`)
  }
  if (list) {
    const after = await listed(scene, rows, owners)
    await counted(scene, rows, owners, after)
    const isThere = after.rows.some((it) => isKey(it[rows.key], one.key))
    scene.check('use_after_free', list.id, !isThere, `no row ${one.key}: it is deleted`)
    if (all) await untouched(scene, rows, owners, remove, [all, after], one.key)
  } else await read(scene, rows, owners, two.key)
  const { status } = (await scene.ask(remove.id, { path })).reply
  if (status < 500) answer(scene, remove, 'delete.again', status < 300 ? 'success' : '404', 'of a deleted row')
  if (!create) return
  const next = await created(scene, rows, owners)
  if (typeof next.key !== 'number' || Object.hasOwn(next.sent, rows.key)) return
  const last = await created(scene, rows, owners)
  await accepted(scene, remove, { path: pathOf(scene, remove, [...owners, last.key]) })
  const again = await created(scene, rows, owners)
  answer(scene, create, 'ids.again', isKey(again.key, last.key) ? 'when-highest' : 'never', `after ${remove.id}`)
}
