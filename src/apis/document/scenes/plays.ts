import { isObject, type Json, type JsonObject, schemaOf } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import { fieldsIn, rowFieldsIn } from '../../../engine/contract/schemas/schemas.js'
import { uniqueFields } from '../../../engine/ledger/extensions.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import { repeated } from '../../../tools/verify/judge.js'
import type { Play } from '../../../tools/verify/scene.js'
import { access, others } from './access.js'
import { life } from './life.js'
import { lists } from './lists.js'
import { isItem, moving, type Rows, steady } from './rows.js'
import { isAnswer, type Made, needsHeaders, type Part, Table } from './table.js'
import { actions, queries, values } from './values.js'

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
      // It may be refused for another field.
      const isAccepted = status < 300 || (await table.tried(create, body)) < 300
      if (isAnswer(status) && isAccepted)
        table.answer(create, 'references.unknown', choice, `with a ${field} of no row`)
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
  const least = rows.sentIn(small)
  const present = [...Object.keys(least), ...((rows.collection.row.required ?? []) as string[]), rows.key]
  const absent = Object.keys(sent).filter(
    (name) => !present.includes(name) && table.defaultOf(create, name) === undefined
  )
  const isSet = (name: string) => schemaOf(table.contract.documents, own[name]).readOnly === true
  const free = absent.filter((name) => !isSet(name) && !moving.test(name))
  const usual = Object.keys(sent).filter((name) => !Object.hasOwn(least, name))
  const defaults = usual.flatMap((name) => {
    const value = table.defaultOf(create, name)
    return value === undefined ? [] : [[name, value]]
  })
  scene.shows(create.id, row, table.shown(create, Object.fromEntries(defaults), row))
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
    const isOther = [400, 422].includes(status) && !needsHeaders(operation)
    const isListed = !operation.responses[404] || operation.responses[status] || !isOther
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
