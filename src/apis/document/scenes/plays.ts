import { boundIn, isWithin, sorts } from '../../../engine/answers/page.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import { isNeverEmpty } from '../../../engine/contract/outcomes.js'
import { fieldsIn, rowFieldsIn } from '../../../engine/contract/schemas/schemas.js'
import { uniqueFields } from '../../../engine/ledger/extensions.js'
import { itemsIn, type Listing } from '../../../tools/verify/calls/lists.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import { repeated } from '../../../tools/verify/judge.js'
import { contains, type Play } from '../../../tools/verify/scene.js'
import { access, others } from './access.js'
import { life } from './life.js'
import { isFilteredBy, isItem, moving, type Rows, steady } from './rows.js'
import { isAnswer, type Made, type Part, Table } from './table.js'
import { actions, queries, values } from './values.js'

/** Lists, pages and filters, with the rows that are there. */
const lists: Part = async (scene, rows) => {
  const list = rows.list as Operation
  const table = await Table.open(scene, rows)
  const all = await table.listed()
  await table.counted(all)
  const { properties, size, start, page, cursor } = rows.paging
  for (const item of rows.read ? all.rows.slice(0, 2) : []) {
    const key = item[rows.key] ?? null
    if (key === null) continue
    const one = rows.read as Operation
    const isUnlike = async (shown: JsonObject | undefined) => {
      const row = shown && rows.rowIn((await table.ask(one, [key])).reply.body)
      return (shown && !(row && contains(row, steady(shown, row)))) || undefined
    }
    const look = async () => isUnlike((await table.listed()).rows.find((it) => it[rows.key] === key))
    const decided = await table.steadily(await isUnlike(item), look)
    const row = decided?.found && (await table.read(key))
    if (decided) scene.shows(one.id, row || item, steady(item, row || item))
    if (decided && !row) scene.run.results.held(one.id, 'ensure_resource_availability')
  }
  if (size !== undefined && all.isWhole && all.rows.length > 0) {
    const few = Math.max(1, Math.ceil(all.rows.length / 8))
    const { minimum } = schemaOf(table.contract.documents, properties[size])
    const least = Math.max(few, Number(minimum ?? 1))
    const paged = await table.listed({ size: least })
    await table.counted(paged, { size: least })
    const long = paged.pages.find((it) => it.length > least)
    scene.check('paging_consistent', list.id, !long, `at most ${least} rows in a page`, `${long?.length} rows`)
    if (!long && paged.isWhole && [cursor, start, page].some((it) => it !== undefined)) {
      const lostIn = (whole: Listing, pages: Listing, keys = new Set(rows.keysOf(pages.rows))) =>
        rows.keysOf(whole.rows).find((it) => !keys.has(it))
      const look = async () => lostIn(await table.listed(), await table.listed({ size: least }))
      const decided = await table.steadily(lostIn(all, paged), look)
      const expected = `the row ${decided?.found} on one of the pages`
      if (decided) scene.check('paging_consistent', list.id, !decided.found, expected)
    }
    await ends(table, all)
  }
  await isSorted(table, all)
  await isBounded(table, all)
  for (const name of Object.keys(properties).filter((it) => Object.hasOwn(rows.fields, it))) {
    const value = all.rows.map((it) => it[name]).find((it) => it !== undefined && it !== null && it !== '')
    const query = { [name]: value ?? null }
    // A filter may take other values than rows have.
    if (value === undefined || typeof value === 'object' || !table.takes(list, 'query', { query })) continue
    const some = await table.listed({ query })
    const isOther = (by: Json) => (it: JsonObject) => Object.hasOwn(it, name) && !isFilteredBy(it[name], by)
    table.filters(name, !some.rows.some(isOther(value)), `only rows with ${name} ${value}`)
    await table.rejects(name, all.rows)
    if (typeof value === 'boolean') {
      const usual = table.usual(name)
      const isUsual = typeof usual !== 'boolean' || !all.rows.some(isOther(usual))
      table.filters(name, isUsual, `only rows with ${name} ${usual}, the default, without ${name}`)
    }
    const look = async () => {
      if (!(await table.listed()).rows.some((it) => it[name] === value)) return undefined
      return (await table.listed({ query })).rows.length === 0 || undefined
    }
    const decided = await table.steadily(some.rows.length === 0 || undefined, look)
    if (decided) table.filters(name, !decided.found, `the rows with ${name} ${value}`, 'none')
  }
}

/** What a list shows without a size, and after its last page. */
async function ends(table: Table, all: Listing): Promise<void> {
  const { rows } = table
  const list = rows.list as Operation
  const { size, start, page, cursor = '' } = rows.paging
  const plain = itemsIn((await table.accepted(list, [])).reply.body)?.length ?? 0
  if (plain > 0) table.answer(list, 'pages.size', plain < all.rows.length ? String(plain) : 'all', `without ${size}`)
  const unknown = { query: { [cursor]: table.scene.mark('none') } }
  if (cursor !== '' && table.takes(list, 'query', unknown)) {
    const { status, body } = (await table.ask(list, [], unknown)).reply
    const choice = status >= 400 ? 'refused' : itemsIn(body)?.length === 0 && 'empty'
    if (isAnswer(status) && choice) table.answer(list, 'pages.cursor', choice, 'with an unknown cursor')
  }
  const name = page ?? start
  if (name === undefined) return
  const { status, body } = (await table.ask(list, [], { query: { [name]: 100_000 } })).reply
  if (status !== 404 && status >= 300) return
  const items = itemsIn(body) ?? []
  const keys = new Set(rows.keysOf(all.rows))
  const mayBeLast = items.length > 0 && isNeverEmpty(table.contract.documents, list)
  const isLast = mayBeLast && rows.keysOf(items).every((it) => keys.has(it))
  const choice = status === 404 ? '404' : isLast ? 'last' : 'empty'
  const isEmpty = choice !== 'empty' || items.length === 0
  if (isEmpty) table.answer(list, 'pages.beyond', choice, 'after the last page')
  table.scene.check('paging_consistent', list.id, isEmpty, 'no rows after the last page')
}

/** A list that sorts by a field has the opposite order with a minus. */
async function isSorted(table: Table, all: Listing): Promise<void> {
  const { rows } = table
  const list = rows.list as Operation
  const { properties } = rows.paging
  const name = sorts.find((it) => Object.hasOwn(properties, it))
  if (name === undefined || !all.isWhole) return
  const field = Object.keys(rows.fields).find((it) => {
    const values = new Set(all.rows.map((row) => row[it]))
    const isTaken = [it, `-${it}`].every((value) => table.takes(list, 'query', { query: { [name]: value } }))
    return isTaken && values.size > 1 && [...values].every((value) => typeof value === 'number')
  })
  if (field === undefined || !Array.isArray(schemaOf(table.contract.documents, properties[name]).enum)) return
  for (const sign of ['', '-']) {
    const { rows: sorted } = await table.listed({ query: { [name]: sign + field } })
    const values = sorted.map((it) => Number(it[field])).filter((it) => !Number.isNaN(it))
    const isWrong = values.some((it, at) => at > 0 && (it - (values[at - 1] as number)) * (sign === '' ? 1 : -1) < 0)
    table.scene.check('filter_respected', list.id, !isWrong, `rows in the order of ${sign}${field}`)
  }
}

/** A list that a parameter bounds by a field has no rows on the other side. */
async function isBounded(table: Table, { rows: all }: Listing): Promise<void> {
  const { paging, fields, list } = table.rows
  for (const name of Object.keys(paging.properties)) {
    const bound = boundIn(name, Object.keys(fields))
    const boundedIn = (row: JsonObject) => row[bound?.field ?? ''] as string
    const isOrdered = (it: Json) => typeof it === 'number' || /^\d{4}-\d\d-\d\d/.test(String(it))
    const values = [...new Set(all.map(boundedIn).filter(isOrdered))].sort((a, b) => (a < b ? -1 : 1))
    const value = bound?.isUpper ? values[0] : values.at(-1)
    if (!bound || value === undefined || values.length < 2) continue
    const query = { [name]: value }
    if (!table.takes(list as Operation, 'query', { query })) continue
    const { rows: matches } = await table.listed({ query })
    const isOut = (it: string) => isOrdered(it) && !isWithin(it, { ...bound, isStrict: false, value })
    table.filters(name, !matches.map(boundedIn).some(isOut), `only rows within ${name} ${value}`)
  }
}

/** What becomes of a row when another that it names does not exist, or is deleted. */
const references: Part = async (scene, rows) => {
  const { create, read: reading, parent } = rows
  if (!create) return
  const table = await Table.open(scene, rows)
  const isThere = async ({ key }: Made) => reading && (await table.ask(reading, [key])).reply.status < 300
  /** Deletes another row, by its table and its key. */
  const without = async (other: Table, keys: Json[], dependent: Made, isBelow: boolean) => {
    const remove = other.rows.remove as Operation
    const { status } = (await other.ask(remove, keys)).reply
    if (!isAnswer(status)) return
    const usual = scene.run.readings.ledger.find(({ id }) => id === 'delete.children')?.default
    const choice = status >= 400 ? 'refused' : (await isThere(dependent)) ? (isBelow ? 'kept' : 'below') : 'removed'
    // Rows below it say nothing about others that name it.
    if (!isBelow || choice !== 'removed' || usual === choice)
      table.answer(remove, 'delete.children', choice, `with a row of ${rows.collection.name}`)
  }
  if (parent?.create && parent.remove && reading)
    await without(new Table(scene, parent, table.owners), [], await table.created(), true)
  const { documents } = table.contract
  const fields = rowFieldsIn(documents, create.input.body, fieldsIn({ documents }, rows.collection.row)).properties
  for (const [field, name] of Object.entries(rows.collection.links ?? {})) {
    const other = table.linked(name)
    const body = await table.body(create)
    if (!other || name === parent?.collection.name || !Object.hasOwn(fields, field)) continue
    const unknown = rows.withFields(body, { [field]: new Table(scene, other, []).unknownKey() })
    if (table.takes(create, 'body', { body: unknown }, 'strict')) {
      const status = await table.tried(create, unknown)
      const choice = status < 300 ? 'accepted' : status === 404 ? '404' : '422'
      if (isAnswer(status)) table.answer(create, 'references.unknown', choice, `with a ${field} of no row`)
    }
    if (!other.create || !other.remove || !reading) continue
    const others = await Table.open(scene, other)
    const { key } = await others.created()
    const linkedBody = rows.withFields(body, { [field]: key })
    if (table.takes(create, 'body', { body: linkedBody }, 'strict'))
      await without(others, [key], await table.created(linkedBody), false)
  }
}

/** What a creation does with fields that are absent, unknown, of another type, or taken. */
const choices: Part = async (scene, rows) => {
  const { create, change, replace } = rows
  if (!create) return
  const table = await Table.open(scene, rows)
  const body = await table.body(create)
  const first = await table.created(body)
  const sent = rows.sentIn(body)
  const small = await table.body(create, false)
  const { row } = await table.created(small)
  const own = rows.fields
  const present = [...Object.keys(rows.sentIn(small)), ...((rows.collection.row.required ?? []) as string[]), rows.key]
  const absent = Object.keys(sent).filter((name) => !present.includes(name) && !table.hasDefault(create, name))
  const isSet = (name: string) => schemaOf(table.contract.documents, own[name]).readOnly === true
  const free = absent.filter((name) => !isSet(name) && !moving.test(name))
  if (free.length > 0) {
    const nulls = free.filter((name) => row[name] === null).length
    const values = free.filter((name) => (row[name] ?? null) !== null).length
    const choice = nulls > 0 ? 'null' : values > free.length / 2 ? 'generated' : 'absent'
    table.answer(create, 'create.absent', choice, `without ${free.join(', ')}`)
  }
  const unique = uniqueFields.filter((it) => Object.hasOwn(sent, it))
  if (unique.length > 0) {
    const status = await table.tried(create, body)
    table.answer(create, 'unique.fields', status < 300 ? 'accepted' : 'refused', `with the same ${unique.join()}`)
  }
  const number = Object.entries(sent).find(([name, it]) => Number.isInteger(it) && name !== rows.key)
  if (number && unique.length === 0) {
    const status = await table.tried(create, rows.withFields(body, { [number[0]]: String(number[1]) }))
    table.answer(create, 'requests.coercion', status < 300 ? 'lax' : 'strict', 'with "7" for 7')
  }
  const operation = change ?? replace
  const time = Object.keys(own).find((it) => /(updat|modif|chang)/i.test(it))
  if (operation && time !== undefined) {
    // The next time that the field can show.
    await scene.run.bounds.time.sleep(/\.\d{3}/.test(String(first.row[time])) ? 25 : 1100)
    const later = await table.created()
    // A stopped clock shows nothing.
    if (later.row[time] === first.row[time] || first.row[time] === undefined) return
    await table.accepted(operation, [first.key], { body: await table.body(operation) })
    const isKept = (await table.read(first.key))[time] === first.row[time]
    table.answer(operation, 'times.change', isKept ? 'kept' : 'changed', `then ${time}`)
  }
}

/** A row without a key shows what was written last. */
const single: Part = async (scene, rows) => {
  const table = await Table.open(scene, rows)
  const at = (method: string) => rows.single?.find((it) => it.method === method)
  const [get, change, remove] = [at('GET') as Operation, at('PUT') ?? at('PATCH') ?? at('POST'), at('DELETE')]
  const { status, body: before } = (await table.ask(get, [])).reply
  if (!change?.input.body || (status === 404 && !remove)) return
  const body = await table.body(change)
  const sent = rows.sentIn(body)
  const past = Object.entries(rows.sentIn(isObject(before) ? before : {})).filter(([name]) => Object.hasOwn(sent, name))
  const old = rows.withFields(body, Object.fromEntries(past))
  const [undo, input] = status === 404 && remove ? [remove, {}] : [change, { body: old }]
  if (status < 300 && !table.takes(change, 'body', { body: old }, 'strict'))
    throw new Stopped('its row could not be put back')
  scene.undo.unshift(async () => void (await scene.run.tried(undo.id, { path: table.path(undo), ...input })))
  await table.accepted(change, [], { body })
  const after = rows.sentIn((await table.accepted(get, [])).reply.body as JsonObject)
  scene.shows(get.id, after, table.shown(change, sent, after))
}

/** Another row is a member once, however often it is put, and none after it is deleted. */
const members: Part = async (scene, rows) => {
  const { replace, remove, collection } = rows
  const table = await Table.open(scene, rows)
  const other = table.linked(collection.member?.collection ?? '')
  if (!replace || !other) return
  const { key } = await (await Table.open(scene, other)).created()
  const put = async () => table.ask(replace, [key], replace.input.body && { body: await table.body(replace) })
  const { status } = (await put()).reply
  if (!isAnswer(status)) return
  table.answer(replace, 'put.member', status < 300 ? 'added' : '404', 'of a row that is not a member yet')
  if (status >= 300) return
  if (remove) scene.undo.unshift(async () => void (await scene.run.tried(remove.id, { path: table.path(remove, key) })))
  await put()
  if (rows.read) await table.read(key)
  if (!rows.list) return
  const count = async () => rows.keysOf((await table.listed()).rows).filter((it) => it === String(key)).length
  const isShown = Object.hasOwn(rows.fields, rows.key)
  if (isShown) scene.check('association_idempotence', replace.id, (await count()) === 1, 'each member once in its list')
  if (!remove) return
  await table.accepted(remove, [key])
  if (isShown) scene.check('use_after_free', remove.id, (await count()) === 0, 'no member that was removed')
}

/** Concurrent creations all give a row of their own, and concurrent deletions of one row leave the others. */
const race: Part = async (scene, rows) => {
  const { create, list } = rows
  if (!create) return
  const table = await Table.open(scene, rows)
  const path = table.path(create)
  const bodies = await Promise.all(Array.from({ length: 6 }, () => table.body(create)))
  const exchanges = await scene.atOnce(bodies.length, (n) => [create.id, { path, body: bodies[n] as JsonObject }])
  const creations = exchanges.flatMap((it, n) => table.madeBy(bodies[n] as JsonObject, it) ?? [])
  if (creations.length < bodies.length) await table.accepted(create, [], { body: await table.body(create) })
  const twice = repeated(creations.map(({ key }) => String(key)))
  scene.check('unique_rows', create.id, twice === undefined, `another ${rows.key} for each`, `${twice} twice`)
  for (const { row, key } of rows.read ? creations : []) {
    const other = await table.read(key)
    scene.shows((rows.read as Operation).id, other, steady(row, other))
  }
  const [first] = creations
  if (!rows.read && list && first) await table.read(first.key)
}

/** Rows that do not exist are refused. `isChanging`: also by operations that change something. */
const missing: Part = async (scene, rows) => {
  const { read: reading, change, replace, remove } = rows
  const table = await Table.open(scene, rows)
  const key = table.unknownKey()
  const { mutating } = scene.run.settings
  for (const operation of [reading, ...(mutating ? [change, replace, remove] : [])]) {
    if (!operation || !isItem(operation)) continue
    const body = operation.input.body && (await table.body(operation))
    const { status } = (await table.ask(operation, [key], { body })).reply
    const isRefused = status >= 400
    if (operation === replace) {
      table.answer(operation, 'put.unknown-id', isRefused ? '404' : 'created', 'of an unknown row')
      if (!isRefused && remove) await scene.run.tried(remove.id, { path: table.path(remove, key) })
      continue
    }
    if (operation === remove && !isRefused) {
      table.answer(operation, 'delete.again', 'success', 'of an unknown row')
      continue
    }
    // The request is right, so it is not refused as a wrong one.
    const isListed = !operation.responses[404] || operation.responses[status] || ![400, 422].includes(status)
    const expected = 'a refusal: no row is called so'
    scene.check('unknown_id_refused', operation.id, isRefused && Boolean(isListed), expected)
    if (operation === reading && (status === 404 || status === 410))
      table.answer(operation, 'missing.status', String(status), 'of an unknown row')
  }
}

type Operations = (rows: Rows) => (Operation | undefined)[]

/** What is played, whether it changes something, and on which operations. */
const parts: [what: string, play: Part, isMutating: boolean, of: Operations][] = [
  ['lists, pages and filters', lists, false, ({ list, read }) => (list ? [list, read] : [])],
  ['missing rows', missing, false, ({ read }) => [read]],
  ['access', access, false, ({ operations }) => operations],
  ['create, read, change, delete', life, true, ({ operations }) => operations],
  ['one row', single, true, ({ single: own = [] }) => own],
  ['members', members, true, ({ replace, collection }) => (collection.member ? [replace] : [])],
  ['races', race, true, ({ create }) => [create]],
  ['wrong queries', queries, false, ({ list }) => [list]],
  [
    'wrong bodies, and values at bounds',
    values,
    true,
    ({ create, change, replace, single = [] }) => [create, change, replace, ...single]
  ],
  ['actions', actions, true, ({ actions: own }) => [...own]],
  ['open questions', choices, true, ({ create }) => [create]],
  ['rows that name others', references, true, ({ create }) => [create]]
]

function playOf(rows: Rows, [what, play, mutating, of]: (typeof parts)[number]): Play[] {
  const operations = of(rows).flatMap((it) => it?.id ?? [])
  const title = `${rows.collection.name}: ${what}`
  return operations.length === 0 ? [] : [{ title, operations, mutating, play: (scene) => play(scene, rows) }]
}

/** What verify plays on the collections of a document. */
export function playsOf(all: readonly Rows[]): { rules: Play[]; foreign: Play[] } {
  return {
    rules: parts.flatMap((part) => all.flatMap((rows) => playOf(rows, part))),
    foreign: all.flatMap((rows) => playOf(rows, ['rows of another user', others, true, ({ create }) => [create]]))
  }
}
