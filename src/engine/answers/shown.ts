import { isObject, type Json, type JsonObject, schemaOf, wholeOf } from '../contract/load.js'
import { Refusal } from '../contract/message/refusal.js'
import { RuleReply, refuse } from '../contract/message/reply.js'
import type { CollectionRow, InputError, Operation } from '../contract/model.js'
import { responseOf } from '../contract/outcomes.js'
import { memberField, shownKey } from '../contract/reader/document.js'
import { type Fields, fieldsIn } from '../contract/schemas/schemas.js'
import { parametersOf } from '../contract/text.js'
import { hash } from '../sandbox/ids.js'
import type { AnyRow, Id } from '../store/collection.js'
import { valid } from './fitting.js'
import { includedIn } from './links.js'
import { type PageCall, takes } from './page.js'
import type { CheckedRows } from './rows.js'

/** A request to the rows of a collection. */
export interface CollectionCall extends PageCall {
  name: string
  collection: CollectionRow
  rows: CheckedRows
}

export function rowSchema({ contract, name }: CollectionCall): Fields {
  return fieldsIn(contract, contract.collections.get(name)?.row ?? {})
}

/** The answer with a row. */
export function shown(of: CollectionCall, status: number, row: AnyRow): unknown {
  const schema = responseOf(of.operation, status)?.schema
  if (!schema) return undefined
  const view = viewOf(of)
  if (!view) return valid(of, status, shape(of, schema, row))
  return view(row) ?? refuse(404, `${of.name} has no row ${row.id}`)
}

/** The fields of a row in a schema, or in the one object that it has for the row. Missing fields are generated. */
export function shape(of: CollectionCall, schema: Json | undefined, stored: AnyRow): Json {
  const row = of.collection.key === memberField ? { ...stored, id: stored[memberField] as Id } : stored
  const { contract, sandbox } = of
  const { properties, required } = fieldsIn(contract, schema ?? {})
  if (Object.keys(properties).length === 0) {
    const { type } = schemaAt(of, schema)
    if (type === 'null') return null
    // A reply may be only the key.
    const key = row[of.collection.key ?? 'id'] as Json
    return type === 'string' || type === 'integer' ? key : row
  }
  const inner = wrapperOf(of, properties)
  const others = Object.hasOwn(properties, 'included') ? { included: includedIn(of, [row]) as Json } : {}
  const own =
    inner === undefined ? row : ({ id: row.id, [inner]: shape(of, properties[inner], row), ...others } as AnyRow)
  const names = Object.keys(properties).filter((name) => !isHidden(properties[name]))
  const has = (name: string) => Object.hasOwn(own, name) && allows(of, properties[name], own[name] as Json)
  const missing = required.filter((name) => !has(name) && names.includes(name))
  const sample =
    missing.length === 0
      ? {}
      : (contract.sample(schema as JsonObject, sandbox.ids.seed, hash(String(row.id))) as JsonObject)
  return Object.fromEntries([
    ...missing.map((name) => [name, sample[name] as Json]),
    ...names.filter(has).map((name) => [name, inner === name ? own[name] : visible(of, properties[name], own[name])])
  ]) as JsonObject
}

/** Whether the document allows a row's value: not every null, not every type, and not every value of a field with a list of values. */
function allows(of: CollectionCall, schema: Json | undefined, value: Json): boolean {
  const { anyOf } = schemaOf(of.contract.documents, schema)
  if (value !== null && Array.isArray(anyOf)) return anyOf.some((it) => allows(of, it, value))
  const { enum: values = [value] } = schemaAt(of, schema)
  return takes(of, schema, value) && (value === null || [values].flat().includes(value))
}

/** Whether a schema is for requests only. */
export const isHidden = (schema: Json | undefined) => isObject(schema) && schema.writeOnly === true

/** A value without the fields that the document has for requests only. */
function visible(of: CollectionCall, schema: Json | undefined, value: Json | undefined): Json | undefined {
  if (typeof value !== 'object' || value === null) return value
  const whole = schemaAt(of, schema)
  if (Array.isArray(value)) return value.map((it) => visible(of, whole.items, it) as Json)
  const { properties } = fieldsIn(of.contract, whole)
  const names = Object.keys(value).filter((name) => !Object.hasOwn(properties, name) || !isHidden(properties[name]))
  return Object.fromEntries(names.map((name) => [name, visible(of, properties[name], value[name]) as Json]))
}

/** The field of a reply's object that has the row: more of its fields than the object itself. Undefined: the object is the row. */
export function wrapperOf(of: CollectionCall, properties: JsonObject): string | undefined {
  const { contract } = of
  if (!contract.api.document) return undefined
  const row = rowSchema(of).properties
  const sharedBy = (fields: JsonObject) => Object.keys(fields).filter((it) => Object.hasOwn(row, it)).length
  const own = sharedBy(properties)
  const inner = (name: string) => fieldsIn(contract, schemaAt(of, properties[name])).properties
  const wrappers = Object.keys(properties).filter((name) => sharedBy(inner(name)) > own)
  return wrappers.find((name) => Object.hasOwn(inner(name), shownKey(of.collection))) ?? wrappers[0]
}

/** Shows a row as another operation does. Returns undefined for a row that the operation does not show. */
export function viewOf({
  operation,
  contract,
  user,
  view: viewed
}: CollectionCall): ((row: AnyRow) => Json | undefined) | undefined {
  const id = operation.mock?.view
  if (id === undefined) return undefined
  const view = contract.operations.get(id) as Operation
  if (!user && !view.open) {
    throw new Refusal('unauthenticated', {
      reason: `this operation shows rows as ${view.id} does, which needs a token.`
    })
  }
  const answer = viewed(view)
  const parameter = parametersOf(view).at(-1)
  const bodyFor = (path: JsonObject): Json | undefined => {
    try {
      const body = answer({ path, query: {}, body: undefined })
      return (body instanceof RuleReply ? body.body : body) as Json
    } catch (error) {
      if (error instanceof Refusal || error instanceof RuleReply) return undefined
      throw error
    }
  }
  if (parameter !== undefined) return (row) => bodyFor({ [parameter]: row.id })
  const all = bodyFor({})
  const items = Array.isArray(all) ? all : Object.values(isObject(all) ? all : {}).find(Array.isArray)
  return (row) => items?.find((it) => isObject(it) && it.id === row.id)
}

export function schemaAt(of: CollectionCall, schema: Json | undefined): JsonObject {
  const whole = wholeOf(of.contract.documents, schema)
  const branch = Array.isArray(whole.anyOf) ? whole.anyOf.find((it) => schemaAt(of, it).type !== 'null') : whole
  return isObject(branch) ? branch : {}
}

/** The body, or the one object in it that has the fields of the rows: `{ article: { … } }`. */
export function bodyOf(of: CollectionCall): JsonObject {
  const { body } = of.input
  if (!isObject(body)) return {}
  const isOfRow = (value: Json) =>
    isObject(value) && Object.keys(value).some((it) => Object.hasOwn(rowSchema(of).properties, it))
  const [inner, ...others] = isOfRow(body) ? [] : Object.values(body).filter(isOfRow)
  return others.length === 0 && isObject(inner) ? inner : body
}

/** Fields with the user that a row belongs to. */
export const ownerFields =
  'user_id userId owner_id ownerId author_id authorId customer_id customerId created_by createdBy'.split(' ')

/** What a collection of users is usually called. */
export const usersName = /^(users?|accounts?|members?|people)$/i

/** The fields that name the user of a row. An `author_id` that names a row of `authors` is not one of them. */
export function ownerFieldsIn({ row, parent, links = {} }: CollectionRow, users: string | undefined): string[] {
  const isUsers = (it: string | undefined) => it === undefined || it === users || usersName.test(it)
  const isAbove = (field: string) => field === parent?.field && parent.collection !== users
  const properties = (row.properties ?? {}) as JsonObject
  return ownerFields.filter((it) => Object.hasOwn(properties, it) && isUsers(links[it]) && !isAbove(it))
}

/** The field of rows with the user that they belong to, if somebody calls. */
export function ownerField(of: CollectionCall, fields: object): string | undefined {
  const { api } = of.contract
  const names = api.document && of.user ? ownerFieldsIn(of.collection, api.users.collection) : []
  return names.find((it) => Object.hasOwn(fields, it))
}

/** The calling user, in the form of the field. Undefined: the field has another form. */
export function ownerOf(of: CollectionCall, field: string): Json | undefined {
  const { user, contract } = of
  const { users } = contract.api
  return [user?.id, user?.[users.token]].find((it) => it !== undefined && wrongIn(of, field, it).length === 0)
}

/** What is wrong with the value of a field of the rows. */
export function wrongIn({ contract, collection }: CollectionCall, field: string, value: Json): InputError[] {
  return contract.checkRow(collection, { [field]: value }).problems.filter(({ loc }) => loc[1] === field)
}
