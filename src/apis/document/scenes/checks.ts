import { type Json, type JsonObject, schemaOf } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import { fieldsIn } from '../../../engine/contract/schemas/schemas.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import { unsure } from '../../../tools/verify/plays/neighbours.js'
import type { Check, RowCause } from '../../../tools/verify/results.js'
import { repeated, type Scene } from '../../../tools/verify/scene.js'
import { type Listing, listed, neededBy, type Owners, pathOf, type Rows, rowIn } from './rows.js'

/** Records the choice of a question that the document leaves open at an operation. */
export function answer({ run }: Scene, operation: Operation, id: string, choice: string, how: string): void {
  const entry = run.readings.ledger.find((it) => it.id === id)
  if (entry && (entry.place.length === 0 || entry.place.includes(operation.id)))
    run.answers.add(id, choice, `${operation.id} ${how}`)
}

/** Whether a status says what a service does with a request: others may have any reason. */
export const isAnswer = (status: number) => status < 300 || [400, 404, 409, 422].includes(status)

export const keysOf = (rows: Rows, items: readonly JsonObject[]) => items.map((it) => String(it[rows.key]))

/** A row by its key: by its own operation, or else from the list. */
export async function read(scene: Scene, rows: Rows, owners: Owners, key: Json): Promise<JsonObject> {
  const { read: operation, list } = rows
  if (operation) {
    const path = pathOf(scene, operation, [...owners, key])
    const exchange = await scene.ask(operation.id, { path, query: neededBy(scene, operation) })
    const { status, body } = exchange.reply
    const row = rowIn(rows, body)
    scene.check('ensure_resource_availability', operation.id, status < 300, `the row ${key}`)
    if (status >= 300 || !row) throw new Stopped()
    scene.check('values_read_back', operation.id, isKey(row[rows.key], key), `${rows.key} ${key}`)
    return row
  }
  const { rows: items, isWhole } = await listed(scene, rows, owners)
  const row = items.find((it) => isKey(it[rows.key], key))
  if (!row && !isWhole) throw new Stopped('its list is too long to be read')
  scene.check('ensure_resource_availability', (list as Operation).id, row !== undefined, `the row ${key} in the list`)
  return row ?? {}
}

export const isKey = (a: Json | undefined, b: Json) => String(a) === String(b)

/** Fields that clocks change, or that are of a reply and not of a row. */
export const moving = /^(time_?|date_?)?(last_?)?(updated|modified|changed|accessed|seen|version|etag)|_?token$/i

/**
 * The fields of a row that another reply must show too: plain values, without those that clocks change, or that the document has
 * in another type there.
 */
export function steady(row: JsonObject, than?: JsonObject): JsonObject {
  const isThere = (name: string, type: string) =>
    !than || than[name] === null || (than[name] !== undefined && typeof than[name] === type)
  const isSteady = ([name, value]: [string, Json]) =>
    !moving.test(name) && typeof value !== 'object' && isThere(name, typeof value)
  return Object.fromEntries(Object.entries(row).filter(isSteady))
}

/**
 * Which of the sent fields a reply must show: those of rows that the server neither sets nor hides. `isWhole`: the reply is the
 * whole row.
 */
export function shownOf(
  { run }: Scene,
  rows: Rows,
  operation: Operation,
  sent: JsonObject,
  row: JsonObject,
  isWhole = false
): JsonObject {
  const { first: contract } = run.readings
  const body = fieldsIn(contract, operation.input.body ?? {}).properties
  const inner = Object.values(body).map((it) => fieldsIn(contract, schemaOf(contract.documents, it)).properties)
  const own = (rows.collection.row.properties ?? {}) as JsonObject
  return Object.fromEntries(
    Object.entries(sent).filter(([name, value]) => {
      const schemas = [own[name], body[name], ...inner.map((it) => it[name])]
      const isSet = schemas.some((it) => {
        const { readOnly, writeOnly, format } = schemaOf(contract.documents, it)
        return readOnly === true || writeOnly === true || format === 'password' || format?.toString().startsWith('date')
      })
      const isPlain = [value, row[name]].every((it) => [it].flat().every((part) => typeof part !== 'object'))
      const isOfRow = !contract.checkRow(rows.collection, { [name]: value }).problems.some(({ loc }) => loc[1] === name)
      return (
        !isSet && isPlain && isOfRow && name !== rows.key && !moving.test(name) && (isWhole || Object.hasOwn(row, name))
      )
    })
  )
}

/** Whether no reply shows what the document says only requests have. */
export function hidesSecrets(scene: Scene, rows: Rows, operation: Operation, sent: JsonObject): void {
  const { documents } = scene.run.readings.first
  const text = scene.last?.reply.text ?? ''
  const own = (rows.collection.row.properties ?? {}) as JsonObject
  const leaked = Object.entries(sent).find(([name, value]) => {
    const { writeOnly, format } = schemaOf(documents, own[name])
    const isSecret = writeOnly === true || format === 'password' || (own[name] === undefined && /passw/i.test(name))
    return isSecret && typeof value === 'string' && value.length > 6 && text.includes(value)
  })
  scene.check('secrets_hidden', operation.id, leaked === undefined, `no value of ${leaked?.[0]}`)
}

export type Part = (scene: Scene, rows: Rows) => Promise<void>

/** How often a list is read until no other client changes it in the meantime. */
const looks = 5

/**
 * What a look at a list finds. Other clients may change rows while they are read, so a fault is found again while the list has
 * the same rows before and after. Undefined: they change it each time.
 */
export async function steadily<Of>(
  scene: Scene,
  rows: Rows,
  owners: Owners,
  first: Of | undefined,
  look: () => Promise<Of | undefined>
): Promise<{ found?: Of | undefined } | undefined> {
  let found = first
  const present = async () => JSON.stringify((await listed(scene, rows, owners)).rows.map((it) => steady(it)))
  let before = found === undefined ? '' : await present()
  for (let count = 0; found !== undefined && count < looks; count++) {
    found = await look()
    const after = await present()
    if (before === after) return { found }
    before = after
  }
  if (found === undefined) return {}
  scene.couldNot((rows.list as Operation).id, unsure.moving)
  return undefined
}

/** A list has every row once, and says how many there are. `hasGrown`: by new rows, so that it is whole. */
export async function counted(
  scene: Scene,
  rows: Rows,
  owners: Owners,
  first: Listing,
  { size, hasGrown = false }: { size?: number; hasGrown?: boolean } = {}
): Promise<void> {
  const { id } = rows.list as Operation
  const faultIn = (listing: Listing): [Check, string, string, RowCause?] | undefined => {
    const { rows: items, total, count, isFixed, isWhole } = listing
    const twice = items.every((it) => (it[rows.key] ?? null) !== null) ? repeated(keysOf(rows, items)) : undefined
    if (twice !== undefined) return ['unique_rows', 'every row once', `${rows.key} ${twice} comes twice`]
    const said = hasGrown && isFixed ? (total ?? count) : isWhole ? total : undefined
    if (said === undefined || said === items.length) return undefined
    const cause = { shownBy: id, fault: said > items.length ? 'lacks' : 'repeats' } as const
    return ['paging_consistent', `a total of ${items.length}`, `${said}`, cause]
  }
  const look = async () => faultIn(await listed(scene, rows, owners, size === undefined ? {} : { size }))
  const decided = await steadily(scene, rows, owners, faultIn(first), look)
  const [broken, expected = '', got = '', cause] = decided?.found ?? []
  if (broken) scene.check(broken, id, false, expected, got, cause)
  else if (decided) scene.run.results.held(id, 'unique_rows')
  if (decided && !broken && first.total !== undefined) scene.run.results.held(id, 'paging_consistent')
}
