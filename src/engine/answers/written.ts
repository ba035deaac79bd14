import type { MakeRow } from '../api.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../contract/load.js'
import { refuse } from '../contract/message/reply.js'
import type { InputError } from '../contract/model.js'
import { freeName } from '../contract/openapi/document.js'
import { fieldsIn } from '../contract/schemas/schemas.js'
import { slugOf } from '../contract/text.js'
import { createRows } from '../control/state/create.js'
import { isNumbered } from '../control/state/ids.js'
import { hash, mix } from '../sandbox/ids.js'
import type { AnyRow, Id } from '../store/collection.js'
import { takes } from './page.js'
import { type CollectionCall, rowSchema, schemaAt } from './shown.js'

/** The body, or the one object in it that has the fields of the rows: `{ article: { … } }`. */
export function bodyOf(of: CollectionCall): JsonObject {
  const { body } = of.input
  if (!isObject(body)) return {}
  const isOfRow = (value: Json) =>
    isObject(value) && Object.keys(value).some((it) => Object.hasOwn(rowSchema(of).properties, it))
  const [inner, ...others] = isOfRow(body) ? [] : Object.values(body).filter(isOfRow)
  return others.length === 0 && isObject(inner) ? inner : body
}

/** The fields of a row in a request: its body, and path parameters that are fields of the rows, and not of the body. */
function fieldsOf(of: CollectionCall): JsonObject {
  const { properties } = rowSchema(of)
  const { document } = of.contract.api
  const asked = document ? requestFields(of) : {}
  const inPath = Object.entries(of.input.path as JsonObject).filter(([name]) => !Object.hasOwn(asked, name))
  const sent = document
    ? Object.entries(bodyOf(of)).map(([name, it]): [string, Json] => [name, completed(of, properties[name], it)])
    : Object.entries(bodyOf(of))
  const given = { ...Object.fromEntries(sent), ...Object.fromEntries(inPath) }
  const isSet = (field: string) => document !== undefined && schemaAt(of, properties[field]).readOnly === true
  // Requests may write a field in another form than rows have it.
  const isOther = (field: string, value: Json) =>
    document !== undefined &&
    wrongIn(of, field, value).some(({ loc, type }) => loc.length > 2 || /_type$|^missing$/.test(type))
  return Object.fromEntries(
    Object.entries(given).filter(
      ([field, value]) => field !== 'id' && Object.hasOwn(properties, field) && !isSet(field) && !isOther(field, value)
    )
  )
}

/** A value of a request, with what the server sets in objects inside it. */
function completed(of: CollectionCall, schema: Json | undefined, value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  const whole = schemaAt(of, schema)
  if (Array.isArray(value)) return value.map((it) => completed(of, whole.items, it))
  const { properties, required } = fieldsIn(of.contract, whole)
  const isSet = (name: string) => schemaAt(of, properties[name]).readOnly === true && !Object.hasOwn(value, name)
  const seed = mix(of.sandbox.ids.seed ^ hash(JSON.stringify(value)))
  const set = required
    .filter(isSet)
    .map((name): [string, Json] => [name, of.contract.sample(schemaAt(of, properties[name]), seed, 0)])
  const given = Object.entries(value).map(([name, it]): [string, Json] => [name, completed(of, properties[name], it)])
  return { ...Object.fromEntries(given), ...Object.fromEntries(set) }
}

/** A new row: the request's fields, with the others generated. */
export function added(of: CollectionCall, known: JsonObject = {}): AnyRow {
  const { name, input, user, collection, contract } = of
  const given = { ...fieldsOf(of), ...known }
  const id = contract.api.document ? bodyOf(of).id : isObject(input.body) ? input.body.id : undefined
  const { key = 'id', parent } = collection
  const { properties } = rowSchema(of)
  if (id !== undefined && schemaAt(of, properties.id).readOnly !== true) {
    if (of.rows.get(id as string)) refuse(409, `${name} already has a row ${id}`)
    given.id = id
  }
  if (key !== 'id') {
    const taken = (value: Json | undefined) => of.rows.all().some((row) => row[key] === value)
    if (given[key] === undefined) given[key] = newKey(of, key, given, taken)
    else if (taken(given[key])) refuse(409, `${name} already has a row ${given[key]}`)
  } else if (given.id === undefined && contract.api.document) {
    const free = freeId(of)
    if (free !== undefined) given.id = free
  }
  for (const field of Object.keys(properties)) {
    if (isTimeOfChange.test(field)) given[field] ??= timeFor(of, field)
    if (user && (field === 'user_id' || field === 'owner_id') && !contract.api.document) given[field] ??= user.id
  }
  if (!contract.api.document) return createRows(of, name, { part: given })[0] as AnyRow
  const theirs = ownerField(of, properties)
  if (theirs !== undefined) given[theirs] ??= ownerOf(of, theirs) as Json
  for (const field of unique) {
    if (given[field] === undefined || !Object.hasOwn(properties, field) || field === parent?.key) continue
    const isTaken = of.rows.all().some((row) => row[field] === given[field])
    if (isTaken && of.assume('unique.fields') === 'refused') refuse(409, `${field} has already been taken`)
  }
  const [row] = createRows({ ...of, factoryOf: (it) => leaving(of, given, of.factoryOf(it)) }, name, { part: given })
  return row as AnyRow
}

/** Fields that usually differ in all rows. */
const unique = ['email', 'username', 'slug', 'sku']

/** A factory that leaves out what the request could have given, and did not. What the server sets is as it is at first. */
function leaving(of: CollectionCall, given: JsonObject, factory: MakeRow | undefined): MakeRow | undefined {
  const choice = of.assume('create.absent')
  if (!factory) return factory
  const { properties, required } = rowSchema(of)
  const asked = requestFields(of)
  const { key = 'id', parent } = of.collection
  return (...from) => {
    const made = factory(...from)
    const row = { ...(made.row as JsonObject) }
    for (const field of Object.keys(row)) {
      if (Object.hasOwn(given, field) || [key, 'id', parent?.field].includes(field)) continue
      const first = firstValue(of, field, asked)
      const isAsked = Object.hasOwn(asked, field) && schemaAt(of, asked[field]).readOnly !== true
      if (!isAsked) row[field] = first ?? (row[field] as Json)
      else if (choice === 'made-up') continue
      else if (schemaAt(of, asked[field]).default !== undefined || hasDefault(of, field)) row[field] = first as Json
      else if ((choice === 'null' || required.includes(field)) && takes(of, properties[field], null)) row[field] = null
      else if (!required.includes(field)) delete row[field]
      else if (schemaAt(of, properties[field]).type === 'array') row[field] = []
    }
    return { ...made, row }
  }
}

const hasDefault = (of: CollectionCall, field: string) =>
  schemaAt(of, rowSchema(of).properties[field]).default !== undefined

/** What a field has before anything happens: its default, null, the first of its values, false, 0 or nothing. */
function firstValue(of: CollectionCall, field: string, asked: JsonObject): Json | undefined {
  const given = rowSchema(of).properties[field]
  const { default: usual = schemaAt(of, asked[field]).default, enum: values, type, minimum } = schemaAt(of, given)
  const zero = Math.max(0, Number(minimum ?? 0))
  const ofType: Record<string, Json> = { boolean: false, integer: zero, number: zero, array: [] }
  const { type: own, anyOf } = schemaOf(of.contract.documents, given)
  const isNull = (own ?? anyOf) !== undefined && takes(of, given, null)
  const [first] = [
    usual,
    isNull ? null : undefined,
    (values as Json[] | undefined)?.[0],
    ofType[String([type].flat()[0])]
  ].filter((it) => it !== undefined && wrongIn(of, field, it).length === 0)
  return first
}

/** The fields of a row that the body of an operation may have. */
function requestFields(of: CollectionCall): JsonObject {
  const { contract, operation } = of
  const row = rowSchema(of).properties
  const whole = fieldsIn(contract, operation.input.body ?? {}).properties
  const isOfRow = (fields: JsonObject) => Object.keys(fields).some((it) => Object.hasOwn(row, it))
  const inner = Object.values(whole).map((it) => fieldsIn(contract, schemaAt(of, it)).properties)
  return isOfRow(whole) ? whole : (inner.find(isOfRow) ?? whole)
}

/** The key of a new row: words of its title or name, or as its schema says. */
function newKey(of: CollectionCall, key: string, given: JsonObject, isTaken: (value: Json) => boolean): Json {
  const { properties } = rowSchema(of)
  const text = [given.title, given.name].find((it) => typeof it === 'string') as string | undefined
  const slug = slugOf(text ?? '')
  if (slug && wrongIn(of, key, slug).length === 0)
    return freeName({ has: (it: string) => isTaken(it) }, (count) => (count === 1 ? slug : `${slug}-${count}`))
  const schema = schemaAt(of, properties[key])
  if (schema.type === 'integer') return Math.max(0, ...of.rows.all().map((row) => Number(row[key]))) + 1
  if (schema.format === 'uuid' || Object.keys(schema).length <= 1) return of.sandbox.ids.uuid()
  return freeSample(of, schema, isTaken)
}

/** A new id that its schema allows. Undefined: the usual one. */
function freeId(of: CollectionCall): Id | undefined {
  const { name, sandbox } = of
  if (isNumbered(of, name))
    return of.assume('ids.again') === 'when-highest' ? sandbox.ids.nextFree(name, sandbox.rows) : undefined
  const schema = schemaAt(of, rowSchema(of).properties.id)
  if (schema.pattern === undefined && schema.maxLength === undefined && schema.enum === undefined) return undefined
  return freeSample(of, schema, (id) => of.rows.get(id as Id) !== undefined) as Id
}

function freeSample(
  { contract, sandbox, name }: CollectionCall,
  schema: JsonObject,
  isTaken: (value: Json) => boolean
): Json {
  for (let count = 1; ; count++) {
    const value = contract.sample(schema, mix(sandbox.ids.seed ^ hash(`${name} ${count}`)), 0)
    if (!isTaken(value) || count > 1000) return value
  }
}

/** A row after a change. A PUT replaces the fields that a request may have. */
export function changed(of: CollectionCall, row: AnyRow): AnyRow {
  const { contract, operation } = of
  const given = fieldsOf(of)
  const { properties, required } = rowSchema(of)
  if (!contract.api.document) return { ...row, ...given, id: row.id }
  const next: JsonObject = { ...row, ...given, id: row.id }
  const { key = 'id', parent } = of.collection
  if (parent) next[parent.field] = row[parent.field] as Json
  next[key] = row[key] as Json
  if (operation.method === 'PUT') {
    const asked = Object.keys(requestFields(of)).filter((it) => Object.hasOwn(next, it) && !Object.hasOwn(given, it))
    const gone = asked.filter((it) => it !== 'id' && it !== key && isRemovable(of, it, required))
    if (gone.length > 0 && of.assume('put.absent') === 'removed')
      for (const field of gone) {
        const usual = schemaAt(of, requestFields(of)[field]).default ?? schemaAt(of, properties[field]).default
        if (usual !== undefined) next[field] = usual
        else if (required.includes(field)) next[field] = null
        else delete next[field]
      }
  }
  const time = Object.keys(properties).find((it) => isTimeOfChange.test(it) && !/creat/i.test(it))
  if (time !== undefined && of.assume('times.change') !== 'kept') next[time] = timeFor(of, time)
  return next as AnyRow
}

/** Whether a PUT without a field can take its value away. */
function isRemovable(of: CollectionCall, field: string, required: readonly string[]): boolean {
  const isUsual = schemaAt(of, requestFields(of)[field]).default !== undefined || hasDefault(of, field)
  return isUsual || !required.includes(field) || takes(of, rowSchema(of).properties[field], null)
}

export const isTimeOfChange =
  /^(time_?|date_?)?(last_?)?(created|updated|modified|changed)((_?(at|on|time|date))|_?timestamp)?$/i

/** The sandbox's time, as the field has it. */
function timeFor(of: CollectionCall, field: string): Json {
  const { time } = of.sandbox.clock
  const { type, format } = schemaAt(of, rowSchema(of).properties[field])
  if (format === 'date') return time.slice(0, 10)
  return type === 'integer' || type === 'number' ? Math.floor(Date.parse(time) / 1000) : time
}

const owners = ['user_id', 'userId', 'owner_id', 'ownerId', 'author_id', 'authorId', 'created_by', 'createdBy']

/** The field of rows with the user that they belong to. */
export function ownerField(of: CollectionCall, fields: object): string | undefined {
  return of.contract.api.document && of.user ? owners.find((it) => Object.hasOwn(fields, it)) : undefined
}

/** The calling user, as such a field names one. Undefined: the field has another form. */
export function ownerOf(of: CollectionCall, field: string): Json | undefined {
  const { user, contract } = of
  const { users } = contract.api
  return [user?.id, user?.[users.token]].find((it) => it !== undefined && wrongIn(of, field, it).length === 0)
}

/** What is wrong with the value of a field of the rows. */
function wrongIn({ contract, collection }: CollectionCall, field: string, value: Json): InputError[] {
  return contract.checkRow(collection, { [field]: value }).problems.filter(({ loc }) => loc[1] === field)
}
