import { sorts } from '../../../engine/answers/page.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import { isNeverEmpty } from '../../../engine/contract/outcomes.js'
import { fieldsIn, rowFieldsIn } from '../../../engine/contract/schemas/schemas.js'
import { uniqueFields } from '../../../engine/ledger/extensions.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import { mutationsOf } from '../../../tools/verify/phases/negative.js'
import { contains, type Play, repeated, type Scene } from '../../../tools/verify/scene.js'
import { access, others } from './access.js'
import { answer, counted, isAnswer, keysOf, moving, type Part, read, shownOf, steadily, steady } from './checks.js'
import { life } from './life.js'
import {
  accepted,
  bodyFor,
  created,
  fieldsOf,
  hasDefault,
  isItem,
  itemsIn,
  type Listing,
  linkedRows,
  listed,
  type Made,
  madeBy,
  neededBy,
  type Owners,
  operationsOf,
  ownersOf,
  pagingOf,
  pathOf,
  type Rows,
  rowIn,
  sentIn,
  takes,
  unknownKey,
  withFields
} from './rows.js'

/** Lists, pages and filters, with the rows that are there. */
const lists: Part = async (scene, rows) => {
  const list = rows.list as Operation
  const owners = await ownersOf(scene, rows)
  const all = await listed(scene, rows, owners)
  await counted(scene, rows, owners, all)
  const { documents } = scene.run.readings.first
  const { properties, size, start, page } = pagingOf(rows)
  const fields = (rows.collection.row.properties ?? {}) as JsonObject
  for (const item of rows.read ? all.rows.slice(0, 2) : []) {
    const key = item[rows.key] ?? null
    if (key === null) continue
    const one = rows.read as Operation
    const input = { path: pathOf(scene, one, [...owners, key]), query: neededBy(scene, one) }
    const isUnlike = async (shown: JsonObject | undefined) => {
      const row = shown && rowIn(rows, (await scene.ask(one.id, input)).reply.body)
      return (shown && !(row && contains(row, steady(shown, row)))) || undefined
    }
    const look = async () => isUnlike((await listed(scene, rows, owners)).rows.find((it) => it[rows.key] === key))
    const decided = await steadily(scene, rows, owners, await isUnlike(item), look)
    const row = decided?.found && (await read(scene, rows, owners, key))
    if (decided) scene.shows(one.id, row || item, steady(item, row || item))
    if (decided && !row) scene.run.results.held(one.id, 'ensure_resource_availability')
  }
  if (size !== undefined && all.isWhole && all.rows.length > 0) {
    const few = Math.max(1, Math.ceil(all.rows.length / 8))
    const { minimum } = schemaOf(documents, properties[size])
    const least = Math.max(few, Number(minimum ?? 1))
    const paged = await listed(scene, rows, owners, { size: least })
    await counted(scene, rows, owners, paged, { size: least })
    const long = paged.pages.find((it) => it.length > least)
    scene.check('paging_consistent', list.id, !long, `at most ${least} rows in a page`, `${long?.length} rows`)
    if (!long && paged.isWhole) {
      const lostIn = (whole: Listing, pages: Listing, known = new Set(keysOf(rows, pages.rows))) =>
        keysOf(rows, whole.rows).find((it) => !known.has(it))
      const look = async () =>
        lostIn(await listed(scene, rows, owners), await listed(scene, rows, owners, { size: least }))
      const isWhole = pagingOf(rows).cursor !== undefined || start !== undefined || page !== undefined
      const decided = isWhole && (await steadily(scene, rows, owners, lostIn(all, paged), look))
      if (decided)
        scene.check('paging_consistent', list.id, !decided.found, `the row ${decided.found} on one of the pages`)
    }
  }
  if (all.isWhole && size !== undefined && all.rows.length > 0) {
    const plain = itemsIn((await accepted(scene, list, { path: pathOf(scene, list, owners) })).reply.body)?.length ?? 0
    if (plain > 0) {
      const choice = plain < all.rows.length ? String(plain) : 'all'
      answer(scene, list, 'pages.size', choice, `without ${size}`)
    }
    const beyond = page !== undefined ? { [page]: 100_000 } : start !== undefined ? { [start]: 100_000 } : undefined
    if (beyond) {
      const { status, body } = (
        await scene.ask(list.id, { path: pathOf(scene, list, owners), query: { ...neededBy(scene, list), ...beyond } })
      ).reply
      if (status === 404 || status < 300) {
        const items = itemsIn(body) ?? []
        const known = new Set(keysOf(rows, all.rows))
        const isLast =
          items.length > 0 && isNeverEmpty(documents, list) && keysOf(rows, items).every((it) => known.has(it))
        const choice = status === 404 ? '404' : isLast ? 'last' : 'empty'
        const isEmpty = choice !== 'empty' || items.length === 0
        if (isEmpty) answer(scene, list, 'pages.beyond', choice, 'after the last page')
        scene.check('paging_consistent', list.id, isEmpty, 'no rows after the last page')
      }
    }
  }
  await isSorted(scene, rows, owners, all)
  for (const name of Object.keys(properties).filter((it) => Object.hasOwn(fields, it))) {
    const value = all.rows.map((it) => it[name]).find((it) => it !== undefined && it !== null && it !== '')
    const query = { [name]: value ?? null }
    // A filter may take other values than rows have.
    if (value === undefined || typeof value === 'object' || !takes(scene, list, 'query', { query })) continue
    const some = await listed(scene, rows, owners, { query })
    const other = some.rows.find((it) => Object.hasOwn(it, name) && !isFilteredBy(it[name], value))
    scene.check('filter_respected', list.id, !other, `only rows with ${name} ${value}`)
    const look = async () => {
      const { rows: there } = await listed(scene, rows, owners)
      if (!there.some((it) => it[name] === value)) return undefined
      return (await listed(scene, rows, owners, { query })).rows.length === 0 || undefined
    }
    const decided = await steadily(scene, rows, owners, some.rows.length === 0 || undefined, look)
    if (decided) scene.check('filter_respected', list.id, !decided.found, `the rows with ${name} ${value}`, 'none')
  }
}

/** A list that sorts by a field has the opposite order with a minus. */
async function isSorted(scene: Scene, rows: Rows, owners: Owners, all: Listing): Promise<void> {
  const list = rows.list as Operation
  const name = sorts.find((it) => Object.hasOwn(pagingOf(rows).properties, it))
  if (name === undefined || !all.isWhole) return
  const field = Object.keys(fieldsOf(rows)).find((it) => {
    const values = new Set(all.rows.map((row) => row[it]))
    const isTaken = [it, `-${it}`].every((value) => takes(scene, list, 'query', { query: { [name]: value } }))
    return isTaken && values.size > 1 && [...values].every((value) => typeof value === 'number')
  })
  const schema = schemaOf(scene.run.readings.first.documents, pagingOf(rows).properties[name])
  if (field === undefined || !Array.isArray(schema.enum)) return
  for (const sign of ['', '-']) {
    const { rows: sorted } = await listed(scene, rows, owners, { query: { [name]: sign + field } })
    const values = sorted.map((it) => Number(it[field])).filter((it) => !Number.isNaN(it))
    const isWrong = values.some((it, at) => at > 0 && (it - (values[at - 1] as number)) * (sign === '' ? 1 : -1) < 0)
    scene.check('filter_respected', list.id, !isWrong, `rows in the order of ${sign}${field}`)
  }
}

/** A filter may search in a text. */
function isFilteredBy(given: Json | undefined, value: Json): boolean {
  const lower = (it: Json | undefined) => String(it).toLowerCase()
  return [given].flat().some((it) => isObject(it) || lower(it).includes(lower(value)))
}

/** What becomes of a row when another that it names does not exist, or is deleted. */
const references: Part = async (scene, rows) => {
  const { create, read: reading, parent } = rows
  if (!create) return
  const { run } = scene
  const owners = await ownersOf(scene, rows)
  const path = pathOf(scene, create, owners)
  const isThere = async ({ key }: Made) =>
    reading && (await scene.ask(reading.id, { path: pathOf(scene, reading, [...owners, key]) })).reply.status < 300
  const without = async (other: Rows, keys: Owners, made: Made, isBelow: boolean) => {
    const remove = other.remove as Operation
    const { status } = (await scene.ask(remove.id, { path: pathOf(scene, remove, keys) })).reply
    if (!isAnswer(status)) return
    const usual = run.readings.ledger.find(({ id }) => id === 'delete.children')?.default
    const choice = status >= 400 ? 'refused' : (await isThere(made)) ? (isBelow ? 'kept' : 'below') : 'removed'
    // Rows below it say nothing about others that name it.
    if (!isBelow || choice !== 'removed' || usual === choice)
      answer(scene, remove, 'delete.children', choice, `with a row of ${rows.collection.name}`)
  }
  if (parent?.create && parent.remove && reading)
    await without(parent, owners, await created(scene, rows, owners), true)
  const { documents } = run.readings.first
  const asked = rowFieldsIn(documents, create.input.body, fieldsIn({ documents }, rows.collection.row)).properties
  for (const [field, name] of Object.entries(rows.collection.links ?? {})) {
    const other = linkedRows(scene, name)
    const body = await bodyFor(scene, rows, create)
    if (!other || name === parent?.collection.name || !Object.hasOwn(asked, field)) continue
    const unknown = withFields(rows, body, { [field]: unknownKey(scene, other) })
    if (takes(scene, create, 'body', { body: unknown }, 'strict')) {
      const exchange = await scene.ask(create.id, { path, body: unknown })
      const { status } = exchange.reply
      if (status < 300) madeBy(scene, rows, owners, unknown, exchange)
      const choice = status < 300 ? 'accepted' : status === 404 ? '404' : '422'
      if (isAnswer(status)) answer(scene, create, 'references.unknown', choice, `with a ${field} of no row`)
    }
    if (!other.create || !other.remove || !reading) continue
    const above = await ownersOf(scene, other)
    const target = await created(scene, other, above)
    const named = withFields(rows, body, { [field]: target.key })
    if (takes(scene, create, 'body', { body: named }, 'strict'))
      await without(other, [...above, target.key], await created(scene, rows, owners, named), false)
  }
}

/** What a creation does with fields that are absent, unknown, of another type, or taken. */
const choices: Part = async (scene, rows) => {
  const { create, change, replace } = rows
  if (!create) return
  const { run } = scene
  const owners = await ownersOf(scene, rows)
  const path = pathOf(scene, create, owners)
  const body = await bodyFor(scene, rows, create)
  const tried = async (other: JsonObject) => {
    const exchange = await scene.ask(create.id, { path, body: other })
    if (exchange.reply.status < 300) madeBy(scene, rows, owners, other, exchange)
    return exchange.reply.status
  }
  const made = await created(scene, rows, owners, body)
  const sent = sentIn(rows, body)
  const least = await bodyFor(scene, rows, create, false)
  const { row } = await created(scene, rows, owners, least)
  const own = (rows.collection.row.properties ?? {}) as JsonObject
  const { documents } = run.readings.first
  const absent = Object.keys(sent).filter((name) => {
    const isNeeded = ((rows.collection.row.required ?? []) as string[]).includes(name)
    return (
      !Object.hasOwn(sentIn(rows, least), name) &&
      !isNeeded &&
      !hasDefault(scene, rows, create, name) &&
      name !== rows.key
    )
  })
  const free = absent.filter((name) => schemaOf(documents, own[name]).readOnly !== true && !moving.test(name))
  if (free.length > 0) {
    const nulls = free.filter((name) => row[name] === null).length
    const values = free.filter((name) => (row[name] ?? null) !== null).length
    const choice = nulls > 0 ? 'null' : values > free.length / 2 ? 'generated' : 'absent'
    answer(scene, create, 'create.absent', choice, `without ${free.join(', ')}`)
  }
  const unique = uniqueFields.filter((it) => Object.hasOwn(sent, it))
  if (unique.length > 0) {
    const status = await tried(body)
    answer(scene, create, 'unique.fields', status < 300 ? 'accepted' : 'refused', `with the same ${unique.join()}`)
  }
  const number = Object.entries(sent).find(([name, it]) => Number.isInteger(it) && name !== rows.key)
  if (number) {
    const other = withFields(rows, body, { [number[0]]: String(number[1]) })
    if (unique.length === 0)
      answer(scene, create, 'requests.coercion', (await tried(other)) < 300 ? 'lax' : 'strict', 'with "7" for 7')
  }
  const operation = change ?? replace
  const time = Object.keys(own).find((it) => /(updat|modif|chang)/i.test(it))
  if (operation && time !== undefined) {
    // The next time that the field can show.
    await scene.run.bounds.time.sleep(/\.\d{3}/.test(String(made.row[time])) ? 25 : 1100)
    const later = await created(scene, rows, owners)
    // A stopped clock shows nothing.
    if (later.row[time] === made.row[time] || made.row[time] === undefined) return
    const input = { path: pathOf(scene, operation, [...owners, made.key]), body: await bodyFor(scene, rows, operation) }
    await accepted(scene, operation, input)
    const isKept = (await read(scene, rows, owners, made.key))[time] === made.row[time]
    answer(scene, operation, 'times.change', isKept ? 'kept' : 'changed', `then ${time}`)
  }
}

/** A row without a key shows what was written last. */
const single: Part = async (scene, rows) => {
  const owners = await ownersOf(scene, rows)
  const at = (method: string) => rows.single?.find((it) => it.method === method)
  const [get, change, remove] = [at('GET') as Operation, at('PUT') ?? at('PATCH') ?? at('POST'), at('DELETE')]
  const path = pathOf(scene, get, owners)
  const { status, body: before } = (await scene.ask(get.id, { path })).reply
  if (!change?.input.body || (status === 404 && !remove)) return
  const body = await bodyFor(scene, rows, change)
  const sent = sentIn(rows, body)
  const kept = Object.entries(sentIn(rows, isObject(before) ? before : {})).filter(([name]) =>
    Object.hasOwn(sent, name)
  )
  const old = withFields(rows, body, Object.fromEntries(kept))
  const undo = status === 404 && remove ? { id: remove.id, path } : { id: change.id, path, body: old }
  if (status < 300 && !takes(scene, change, 'body', { body: old }, 'strict'))
    throw new Stopped('its row could not be put back')
  scene.undo.unshift(async () => void (await scene.run.tried(undo.id, undo)))
  await accepted(scene, change, { path, body })
  const after = sentIn(rows, (await accepted(scene, get, { path })).reply.body as JsonObject)
  scene.shows(get.id, after, shownOf(scene, rows, change, sent, after))
}

/** Concurrent creations all give a row of their own, and concurrent deletions of one row leave the others. */
const race: Part = async (scene, rows) => {
  const { create, list } = rows
  if (!create) return
  const owners = await ownersOf(scene, rows)
  const path = pathOf(scene, create, owners)
  const bodies = await Promise.all(Array.from({ length: 6 }, () => bodyFor(scene, rows, create)))
  const exchanges = await scene.atOnce(bodies.length, (n) => [create.id, { path, body: bodies[n] as JsonObject }])
  const made = exchanges.flatMap((it, n) => madeBy(scene, rows, owners, bodies[n] as JsonObject, it) ?? [])
  if (made.length < bodies.length) await accepted(scene, create, { path, body: await bodyFor(scene, rows, create) })
  const twice = repeated(made.map(({ key }) => String(key)))
  scene.check('unique_rows', create.id, twice === undefined, `another ${rows.key} for each`, `${twice} twice`)
  for (const { row, key } of rows.read ? made : []) {
    const found = await read(scene, rows, owners, key)
    scene.shows((rows.read as Operation).id, found, steady(row, found))
  }
  if (!rows.read && list) for (const { key } of made.slice(0, 1)) await read(scene, rows, owners, key)
}

/** Rows that do not exist are refused. `isChanging`: also by operations that change something. */
const missing: Part = async (scene, rows) => {
  const { read: reading, change, replace, remove } = rows
  const owners = await ownersOf(scene, rows)
  const key = unknownKey(scene, rows)
  const { mutating } = scene.run.settings
  for (const operation of [reading, ...(mutating ? [change, replace, remove] : [])]) {
    if (!operation || !isItem(operation)) continue
    const path = pathOf(scene, operation, [...owners, key])
    const body = operation.input.body && (await bodyFor(scene, rows, operation))
    const { status } = (await scene.ask(operation.id, { path, body })).reply
    const isRefused = status >= 400
    if (operation === replace) {
      answer(scene, operation, 'put.unknown-id', isRefused ? '404' : 'created', 'of an unknown row')
      if (!isRefused && remove) await scene.run.tried(remove.id, { path: pathOf(scene, remove, [...owners, key]) })
      continue
    }
    if (operation === remove && !isRefused) {
      answer(scene, operation, 'delete.again', 'success', 'of an unknown row')
      continue
    }
    scene.check('unknown_id_refused', operation.id, isRefused, 'a refusal: no row is called so')
    if (operation === reading && (status === 404 || status === 410))
      answer(scene, operation, 'missing.status', String(status), 'of an unknown row')
  }
}

/** Bodies with one mistake are refused, and change nothing. */
const wrong: Part = async (scene, rows) => {
  const { run } = scene
  const { first: contract } = run.readings
  const owners = await ownersOf(scene, rows)
  const made = rows.create && (await created(scene, rows, owners))
  for (const operation of [rows.create, rows.change, rows.replace]) {
    if (!operation?.input.body || (isItem(operation) && !made) || operation.form) continue
    const path = pathOf(scene, operation, isItem(operation) ? [...owners, (made as Made).key] : owners)
    const body = await bodyFor(scene, rows, operation)
    const before = isItem(operation) ? steady(await read(scene, rows, owners, (made as Made).key)) : undefined
    const isWrong = (input: { body: Json | undefined }) =>
      (['strict', 'lax'] as const).every((read) => !takes(scene, operation, 'body', { path, ...input }, read))
    let tries = 0
    for (const { what, kind, ...input } of mutationsOf(contract, operation, { body: { path, query: {}, body } })) {
      const isOpen = kind === 'null' || kind === 'number-for-text' || (input.body ?? null) === null
      if (isOpen || input.path !== path || !isWrong(input) || tries++ >= 12) continue
      const exchange = await scene.ask(operation.id, { path, body: input.body as Json })
      const { status } = exchange.reply
      const text = what.replace(/^\S+ \S+: /, '')
      scene.check('negative_data_rejection', operation.id, status >= 400, `a refusal: ${text}`)
      if (status === 400 || status === 422)
        answer(scene, operation, 'errors.invalid-request', String(status), `with a wrong body: ${text}`)
      if (status < 300 && operation === rows.create && isObject(input.body))
        madeBy(scene, rows, owners, input.body, exchange)
      if (before && status >= 400) {
        const row = await read(scene, rows, owners, (made as Made).key)
        scene.check(
          'others_untouched',
          operation.id,
          contains(row, before),
          'the row as it was: the change was refused'
        )
      }
    }
  }
}

const parts: { what: string; play: Part; isMutating: boolean; of: (rows: Rows) => (Operation | undefined)[] }[] = [
  {
    what: 'lists, pages and filters',
    play: lists,
    isMutating: false,
    of: ({ list, read: one }) => (list ? [list, one] : [])
  },
  { what: 'missing rows', play: missing, isMutating: false, of: ({ read: one }) => [one] },
  { what: 'access', play: access, isMutating: false, of: operationsOf },
  { what: 'create, read, change, delete', play: life, isMutating: true, of: operationsOf },
  {
    what: 'one row',
    play: single,
    isMutating: true,
    of: ({ single: own = [] }) => own
  },
  { what: 'races', play: race, isMutating: true, of: ({ create }) => [create] },
  {
    what: 'wrong bodies',
    play: wrong,
    isMutating: true,
    of: ({ create, change, replace }) => [create, change, replace]
  },
  { what: 'open questions', play: choices, isMutating: true, of: ({ create }) => [create] },
  { what: 'rows that name others', play: references, isMutating: true, of: ({ create }) => [create] }
]

const playOf = (rows: Rows, { what, play, isMutating, of }: (typeof parts)[number]): Play[] => {
  const operations = of(rows).flatMap((it) => it?.id ?? [])
  const title = `${rows.collection.name}: ${what}`
  return operations.length === 0
    ? []
    : [{ title, operations, mutating: isMutating, play: (scene) => play(scene, rows) }]
}

/** What verify plays on the collections of a document. */
export function playsOf(all: readonly Rows[]): { rules: Play[]; foreign: Play[] } {
  return {
    rules: parts.flatMap((part) => all.flatMap((rows) => playOf(rows, part))),
    foreign: all.flatMap((rows) =>
      playOf(rows, { what: 'rows of another user', play: others, isMutating: true, of: ({ create }) => [create] })
    )
  }
}
