import type { Json, JsonObject } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import type { Listing } from '../../../tools/verify/calls/lists.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import { madeByCall } from '../../../tools/verify/plays/neighbours.js'
import { contains } from '../../../tools/verify/scene.js'
import { counted, filtered, filters } from './lists.js'
import { isItem, isKey, steady } from './rows.js'
import { type Made, type Part, Table } from './table.js'

/** What is created is found, changes as requests say, and is gone after it was deleted. Other rows stay as they are. */
export const life: Part = async (scene, rows) => {
  const { create, read: reading, list, change, replace, remove, key } = rows
  if (!create && !scene.run.settings.source) return
  const table = await Table.open(scene, rows)
  const before = list && (await table.listed())
  const one = await table.created()
  if (create) {
    table.hidesSecrets(create, one.sent)
    scene.shows(create.id, one.row, table.shown(create, one.sent, one.row))
    const location = one.exchange.reply.headers.location === undefined ? 'absent' : 'sent'
    if (one.exchange.reply.status === 201) table.answer(create, 'create.location', location, 'of a new row')
    if (reading && location === 'sent') await leads(table, one, reading)
  }
  const two = await table.created()
  if (create)
    scene.check('unique_rows', create.id, !isKey(two.key, one.key), `another ${key} than that of the row before`)
  if (reading && create) {
    const row = await table.read(one.key)
    table.hidesSecrets(reading, one.sent)
    scene.shows(reading.id, row, { ...steady(one.row, row), ...table.shown(create, one.sent, row, true) })
  }
  await belongs(table, one)
  if (list && before) await isListed(table, [one, two], before)
  for (const operation of [change, replace]) {
    if (!operation) continue
    const other = await table.read(two.key)
    const old = await table.read(one.key)
    // Each kind of change has its own values.
    const body = await table.body(operation)
    const all = list && (await table.listed())
    const { reply } = await table.accepted(operation, [one.key], { body })
    const sent = rows.sentIn(body)
    const shown = rows.rowIn(reply.body)
    if (shown) scene.shows(operation.id, shown, table.shown(operation, sent, shown))
    const row = await table.read(one.key)
    scene.shows(operation.id, row, table.shown(operation, sent, row))
    const rest = Object.fromEntries(Object.entries(steady(old)).filter(([name]) => !Object.hasOwn(sent, name)))
    if (operation === change) scene.shows(operation.id, row, rest)
    const same = contains(await table.read(two.key), steady(other))
    scene.check('others_untouched', operation.id, same, `the row ${two.key} as it was`)
    if (list) {
      const now = await table.listed()
      if (all) await untouched(table, operation, [all, now], one.key)
      const item = now.rows.find((it) => isKey(it[key], one.key))
      if (item) scene.shows(list.id, item, table.shown(operation, sent, item))
    }
    await partly(table, operation, one.key)
    if (operation.method === 'PATCH' && !operation.form) await cleared(table, operation, one.key)
  }
  if (remove) await deleted(table, remove, one, two)
}

/** A change of one field leaves the others, and a PUT without optional fields removes or keeps them. */
async function partly(table: Table, operation: Operation, key: Json): Promise<void> {
  const { scene, rows } = table
  const whole = await table.body(operation)
  await table.accepted(operation, [key], { body: whole })
  const before = await table.read(key)
  const small = await table.body(operation, false)
  const least = rows.sentIn(small)
  const full = table.shown(operation, rows.sentIn(whole), before)
  const optional = Object.keys(full).filter((name) => !Object.hasOwn(least, name))
  const [first, ...others] = optional
  if (operation.method === 'PATCH' && first !== undefined) {
    // The value of another body, so that it is a change.
    const value = rows.sentIn(await table.body(operation))[first] as Json
    await table.accepted(operation, [key], { body: rows.withFields(small, { [first]: value }) })
    const base = Object.fromEntries(others.map((name) => [name, full[name]]))
    return scene.shows(operation.id, await table.read(key), { ...base, [first]: value })
  }
  if (operation.method !== 'PUT' || optional.length === 0) return
  await table.accepted(operation, [key], { body: small })
  const row = await table.read(key)
  // A value that every row without the field has shows nothing.
  const bare = rows.create && (await table.created(await table.body(rows.create, false))).row
  const isSet = (name: string) => table.defaultOf(operation, name) !== undefined || contains(bare?.[name], full[name])
  const telling = optional.filter((name) => !isSet(name))
  const survivors = telling.filter((name) => contains(row[name], full[name]))
  if (telling.length === 0)
    scene.couldNot(operation.id, 'what it does with absent fields: each has a default', 'put.absent')
  else if (survivors.length === telling.length || survivors.length === 0)
    table.answer(operation, 'put.absent', survivors.length > 0 ? 'kept' : 'removed', `without ${telling.join(', ')}`)
}

/** A null that rows and requests may have replaces the value of a field. */
async function cleared(table: Table, operation: Operation, key: Json): Promise<void> {
  const { scene, rows } = table
  const withNull = async (name: string) => rows.withFields(await table.body(operation, false), { [name]: null })
  for (let attempt = 0; attempt < 4; attempt++) {
    const body = await table.body(operation)
    await table.accepted(operation, [key], { body })
    const before = await table.read(key)
    for (const [name, value] of Object.entries(table.shown(operation, rows.sentIn(body), before))) {
      const input = { body: await withNull(name) }
      const isFree = table.isOfRow(name, null) && table.takes(operation, 'body', input, 'strict')
      if (value === null || !isFree || !contains(before[name], value)) continue
      const { status } = (await table.ask(operation, [key], input)).reply
      if (status >= 300) return scene.couldNot(operation.id, `it refuses null in ${name}: ${status}`)
      const now = (await table.read(key))[name]
      scene.check('values_read_back', operation.id, !contains(now, value), `${name} null`, `${name} ${now}`)
      return
    }
  }
}

/** The address of a new row, that its creation answers with, is that of the row. */
async function leads(table: Table, { key, exchange }: Made, reading: Operation): Promise<void> {
  const { scene, rows, contract } = table
  const { call, reply } = exchange
  const { location = '' } = reply.headers
  const base = scene.run.settings.url + call.target
  const match = contract.match('GET', URL.canParse(location, base) ? new URL(location, base).pathname : '')
  if (match.kind !== 'operation' || match.operation.id !== reading.id)
    return scene.couldNot(call.operation.id, `its Location is no address of ${reading.id}`)
  const { body } = (await scene.ask(reading.id, { path: match.params })).reply
  const isIts = isKey(rows.rowIn(body)?.[rows.key], key)
  scene.check('ensure_resource_availability', call.operation.id, isIts, `the address of the row ${key}`, location)
}

/** Another row of the same kind as the owner does not have the row. */
async function belongs({ scene, rows, owners }: Table, one: Made): Promise<void> {
  const { parent, read: reading, list } = rows
  if (!parent?.create) return
  const isNested = (of: Operation) => of.path.split('{').length - 1 - (isItem(of) ? 1 : 0) >= owners.length
  const above = new Table(scene, parent, owners.slice(0, -1))
  const elsewhere = new Table(scene, rows, [...above.owners, (await above.created()).key])
  if (reading && isNested(reading)) {
    const { status } = (await elsewhere.ask(reading, [one.key])).reply
    scene.check('unknown_id_refused', reading.id, status >= 400, 'a refusal: the row belongs to another one')
  }
  if (!list || !isNested(list)) return
  const isThere = (await elsewhere.listed()).rows.some((it) => isKey(it[rows.key], one.key))
  scene.check('filter_respected', list.id, !isThere, 'only rows of the row that the path names')
}

/** The other rows of a list are as they were before a call. */
async function untouched(table: Table, operation: Operation, [was, is]: [Listing, Listing], rowKey: Json) {
  const { scene, rows } = table
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
  const look = async (pause?: () => Promise<void>) => {
    const target = isNew || pause ? undefined : await table.created()
    const body = target && operation.input.body && (await table.body(operation))
    const before = await table.listed()
    if (target) await table.accepted(operation, [target.key], { body })
    else await (pause ? pause() : table.created())
    return changesIn(before, await table.listed(), target?.key ?? '')
  }
  const isOwn = ({ id }: { id: Json }) => scene.run.made.has(id, collection.name)
  const changes = await madeByCall(scene, operation.id, changesIn(was, is, rowKey), look, isOwn)
  const [one] = changes ?? []
  if (changes) scene.check('others_untouched', operation.id, !one, `${one?.key} as it was`, one?.text)
}

/** New rows are in the list, which counts them. */
async function isListed(table: Table, pair: [Made, Made], before: Listing): Promise<void> {
  const { scene, rows } = table
  const list = rows.list as Operation
  const { id } = list
  const after = await table.listed()
  if (after.isFixed && after.rows.length === before.rows.length && before.rows.length > 0) {
    table.answer(list, 'pages.size', String(after.rows.length), 'after two new rows')
    throw new Stopped('its list has a fixed number of rows')
  }
  await counted(table, after, { hasGrown: true })
  const keys = new Set([...rows.keysOf(before.rows), ...pair.map((it) => String(it.key))])
  const isCopyOf = (it: JsonObject) => (one: Made) => isCopy(table.shown(list, one.sent, it), it)
  const twice = after.rows.find((it) => !keys.has(String(it[rows.key])) && pair.some(isCopyOf(it)))
  if (rows.create) scene.check('unique_rows', rows.create.id, !twice, 'one new row', `also ${twice?.[rows.key]}`)
  const items = pair.map(({ key }) => after.rows.find((it) => isKey(it[rows.key], key)))
  if (!after.isWhole && items.includes(undefined)) throw new Stopped('its list is too long to be read')
  const lost = items.indexOf(undefined)
  scene.check('ensure_resource_availability', id, lost < 0, `the new row ${pair[lost]?.key}`)
  if (lost >= 0) throw new Stopped()
  const [one] = pair
  if (rows.create) await untouched(table, rows.create, [{ ...before, isWhole: true }, after], one.key)
  await ordered(table, pair)
  const item = items[0] as JsonObject
  scene.shows(id, item, steady(one.row, item))
  await findsNew(table, one, item, after)
  const { search } = rows.paging
  const text = Object.values(item).find((it) => typeof it === 'string' && it.startsWith('kcm')) as string | undefined
  if (search === undefined || text === undefined) return
  const hitsFor = async (query: string) => (await table.listed({ query: { [search]: query } })).rows
  const isFound = (hits: JsonObject[]) => hits.some((it) => it[rows.key] === item[rows.key])
  if (!isFound(await hitsFor(text))) return
  const isAny = isFound(await hitsFor(text.toUpperCase()))
  table.answer(list, 'search.case', isAny ? 'any' : 'exact', 'with a search in capitals')
}

/** Filters find the new row by its values, and no row by values that none has. */
async function findsNew(table: Table, one: Made, item: JsonObject, all: Listing): Promise<void> {
  const { rows } = table
  const sent = rows.sentIn(one.body)
  for (const name of Object.keys(rows.paging.properties)) {
    const value = sent[name]
    if (value === undefined || item[name] !== value) continue
    if (typeof value !== 'string' || !value.startsWith('kcm')) {
      await filtered(table, name, value, all.rows)
      continue
    }
    const some = (await table.listed({ query: { [name]: value } })).rows
    const isOne = some.length === 1 && isKey(some[0]?.[rows.key], one.key)
    filters(table, name, isOne, `only the row with ${name} ${value}`, `${some.length} rows`)
  }
}

/** The order of a list, by rows whose ids are in another order than the rows. Numbers usually follow each other. */
async function ordered(table: Table, newRows: readonly Made[]): Promise<void> {
  const { rows } = table
  const list = rows.list as Operation
  const keys = newRows.map(({ key }) => key)
  const byId = () => [...keys].sort((a, b) => ((a as string) < (b as string) ? -1 : 1)).join()
  const isApart = () => typeof keys[0] === 'number' || ![keys, keys.toReversed()].some((it) => it.join() === byId())
  while (keys.length < 3 || (!isApart() && keys.length < 6)) keys.push((await table.created()).key)
  const all = rows.keysOf((await table.listed()).rows)
  const order = all.filter((it) => keys.some((key) => isKey(key, it))).join()
  const isNewestFirst = order === keys.toReversed().join()
  if (isNewestFirst === (order === byId()))
    table.scene.couldNot(list.id, 'the order of new rows fits no choice, or both', 'rows.order')
  else table.answer(list, 'rows.order', isNewestFirst ? 'newest-first' : 'ids', `after ${keys.length} new rows`)
}

/** Whether a row has all values of another one, and one that only this run sends. */
const isCopy = (sent: JsonObject, row: JsonObject) =>
  contains(row, sent) && Object.values(sent).some((it) => typeof it === 'string' && it.startsWith('kcm'))

/** A deleted row is gone, in its list too, and others stay. */
async function deleted(table: Table, remove: Operation, one: Made, two: Made): Promise<void> {
  const { scene, rows } = table
  const { read: reading, list, create } = rows
  const all = list && (await table.listed())
  await table.accepted(remove, [one.key])
  if (reading) {
    const { status } = (await table.ask(reading, [one.key])).reply
    scene.check('use_after_free', reading.id, status >= 400, `no row ${one.key}: it is deleted`)
  }
  if (list) {
    const after = await table.listed()
    await counted(table, after)
    const isThere = after.rows.some((it) => isKey(it[rows.key], one.key))
    scene.check('use_after_free', list.id, !isThere, `no row ${one.key}: it is deleted`)
    if (all) await untouched(table, remove, [all, after], one.key)
  } else await table.read(two.key)
  const { status } = (await table.ask(remove, [one.key])).reply
  if (status < 500) table.answer(remove, 'delete.again', status < 300 ? 'success' : '404', 'of a deleted row')
  if (!create) return
  const next = await table.created()
  if (typeof next.key !== 'number' || Object.hasOwn(next.sent, rows.key)) return
  const last = await table.created()
  await table.accepted(remove, [last.key])
  const again = await table.created()
  table.answer(create, 'ids.again', isKey(again.key, last.key) ? 'when-highest' : 'never', `after ${remove.id}`)
}
