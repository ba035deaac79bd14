import type { MakeRow } from '../api.js'
import { type Json, type JsonObject, schemaOf } from '../contract/load.js'
import type { UploadedFile } from '../contract/message/body.js'
import { Refusal } from '../contract/message/refusal.js'
import { refuse } from '../contract/message/reply.js'
import { Invalid } from '../contract/pydantic/explain.js'
import { hiddenOfUsers, memberField } from '../contract/reader/document.js'
import { fieldsIn, rowFieldsIn } from '../contract/schemas/schemas.js'
import { createRows } from '../control/state/create.js'
import { uniqueFields } from '../ledger/extensions.js'
import { hash, mix } from '../sandbox/ids.js'
import type { AnyRow } from '../store/collection.js'
import { filled } from './fitting.js'
import { takes } from './page.js'
import { rowsOf } from './rows.js'
import { fieldsOf, signUpFields } from './session.js'
import { bodyOf, type CollectionCall, isHidden, ownerField, ownerOf, rowSchema, schemaAt, wrongIn } from './shown.js'

/** The fields of a row in a request to an API: those of its body, and path parameters that are not fields of the body. */
export function sentFields(of: CollectionCall): JsonObject {
  const { properties } = rowSchema(of)
  const schemas = requestFields(of)
  const inPath = Object.entries(of.input.path as JsonObject).filter(([name]) => !Object.hasOwn(schemas, name))
  const sent = Object.entries(bodyOf(of)).map(([name, it]): [string, Json] => [
    name,
    completed(of, properties[name], schemas[name], it)
  ])
  // The body of an action may have what no other request sets.
  const isSet = (field: string) => schemaAt(of, schemas[field] ?? properties[field]).readOnly === true
  // Requests may write a field in another form than rows have it.
  const isOther = (field: string, value: Json) =>
    wrongIn(of, field, value).some(({ loc, type }) => loc.length > 2 || /_type$|^missing$/.test(type))
  const entries = [...sent, ...inPath].filter(
    ([field, value]) => !isSet(field) && (isPart(of, field) || !isOther(field, value))
  )
  checkLinks(of, Object.fromEntries(entries))
  const ofFile = Object.entries(fieldsOfFile(of)).filter(([field, value]) => wrongIn(of, field, value).length === 0)
  return Object.fromEntries([...ofFile, ...entries])
}

/** What fields of a row are of an uploaded file: its name, size and type. */
const fileForms: [RegExp, (file: UploadedFile) => Json][] = [
  [/^((file|original|display)_?)*name$/i, ({ name }) => name],
  [/^(file_?|content_?|byte_?)?(size|length)(_?in)?(_?bytes)?$|^bytes$/i, ({ bytes }) => bytes.length],
  [/^(file|content|mime|media)_?type$/i, ({ type }) => type]
]

/** The fields of a new row that are those of the one file in a form. */
function fieldsOfFile(of: CollectionCall): JsonObject {
  const files = Object.values(bodyOf(of) as object).filter((it): it is UploadedFile => it?.bytes instanceof Uint8Array)
  const [file, ...others] = of.operation.method === 'POST' ? files : []
  if (!file || others.length > 0) return {}
  return Object.fromEntries(
    Object.keys(rowSchema(of).properties).flatMap((field): [string, Json][] =>
      fileForms.flatMap(([form, read]): [string, Json][] => (form.test(field) ? [[field, read(file)]] : []))
    )
  )
}

/** Whether a request may have a part of a field: a PATCH of JSON:API has some attributes. */
export const isPart = ({ operation }: CollectionCall, field: string) =>
  operation.method === 'PATCH' && (field === 'attributes' || field === 'relationships')

/** Refuses fields with the ids of rows that do not exist, if the choice says so. */
function checkLinks(of: CollectionCall, fields: JsonObject): void {
  for (const [field, name] of Object.entries(of.collection.links ?? {})) {
    const value = fields[field] ?? null
    const { key = 'id' } = of.contract.collections.get(name) ?? {}
    const rows = value === null ? [] : rowsOf(of, name).all()
    if (value === null || rows.some((row) => row.id === value || row[key] === value)) continue
    const msg = `${name} has no row ${value}`
    const choice = of.assume('references.unknown')
    if (choice === '404') refuse(404, msg)
    if (choice === '422') throw new Invalid([{ type: 'value_error', loc: ['body', field], msg, input: value }])
  }
}

/** A value of a request, with what the server sets in objects inside it, and without what rows have not and replies do not show. */
function completed(of: CollectionCall, schema: Json | undefined, requestSchema: Json | undefined, value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  const [whole, request] = [schemaAt(of, schema), schemaAt(of, requestSchema)]
  if (Array.isArray(value)) return value.map((it) => completed(of, whole.items, request.items, it))
  const { properties, required } = fieldsIn(of.contract, whole)
  const { properties: sent } = fieldsIn(of.contract, request)
  const isSet = (name: string) => schemaAt(of, properties[name]).readOnly === true && !Object.hasOwn(value, name)
  const seed = mix(of.sandbox.ids.seed ^ hash(JSON.stringify(value)))
  const set = required
    .filter(isSet)
    .map((name): [string, Json] => [name, of.contract.sample(schemaAt(of, properties[name]), seed, 0)])
  const entries = Object.entries(value)
    .filter(([name]) => Object.hasOwn(properties, name) || !isHidden(sent[name]))
    .map(([name, it]): [string, Json] => [name, completed(of, properties[name], sent[name], it)])
  return { ...Object.fromEntries(entries), ...Object.fromEntries(set) }
}

/** Adds a row with its owner, without fields that were not sent. Refused if a unique value is taken. */
export function addedTo(of: CollectionCall, part: JsonObject): AnyRow {
  const { properties } = rowSchema(of)
  const theirs = ownerField(of, properties)
  if (theirs !== undefined) part[theirs] ??= ownerOf(of, theirs) as Json
  for (const field of shownOwners) {
    const owner = ownerIn(of, field)
    if (owner !== undefined) part[field] ??= owner
  }
  for (const field of of.collection.key === memberField ? [] : uniqueFields) {
    const { key, parent } = of.collection
    if (part[field] === undefined || !Object.hasOwn(properties, field) || [key, parent?.key].includes(field)) continue
    const isTaken = of.rows.all().some((row) => row[field] === part[field])
    if (isTaken && of.assume('unique.fields') === 'refused') refuse(409, `${field} has already been taken`)
  }
  if (of.collection.isUsers) {
    const fields = signUpFields(of, bodyOf(of))
    for (const [field, value] of Object.entries(fields))
      if (Object.hasOwn(hiddenOfUsers, field) && wrongIn(of, field, value).length === 0) part[field] ??= value
  }
  const factoryOf: CollectionCall['factoryOf'] = (it) => leaving(of, part, of.factoryOf(it))
  try {
    const [{ id } = { id: '' }] = createRows({ ...of, factoryOf }, of.name, { part })
    return of.rows.get(id) as AnyRow
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return refuse(409, `${of.name} already has a row ${error.values.id}`)
  }
}

/** Fields that show the user whom a row belongs to. */
const shownOwners = 'author user owner creator created_by createdBy'.split(' ')

/** The calling user as a field shows one that a request does not have. Undefined: the rows have no such field. */
function ownerIn(of: CollectionCall, field: string): Json | undefined {
  const { user, contract, sandbox } = of
  const schema = schemaAt(of, rowSchema(of).properties[field])
  const { properties } = fieldsIn(contract, schema)
  const isShown = ['username', 'email', 'login', 'name'].some((it) => Object.hasOwn(properties, it))
  if (!user || !isShown || Object.hasOwn(requestFields(of), field)) return undefined
  const sample = contract.sample(schema, mix(sandbox.ids.seed ^ hash(String(user.id))), 0)
  return filled(sample, fieldsOf(contract.api, user, ''), (it) => wrongIn(of, field, it).length === 0)
}

/** A factory that leaves out what the request could have given, and did not. What the server sets is as it is at first. */
function leaving(of: CollectionCall, fields: JsonObject, factory: MakeRow | undefined): MakeRow | undefined {
  const choice = of.assume('create.absent')
  if (!factory) return factory
  const { properties, required } = rowSchema(of)
  const schemas = requestFields(of)
  const { key = 'id', parent, links = {} } = of.collection
  return (...from) => {
    const result = factory(...from)
    const row = { ...(result.row as JsonObject) }
    for (const field of Object.keys(row)) {
      if (Object.hasOwn(fields, field) || field === key || field === 'id') continue
      const isReference = field === parent?.field || (links[field] ?? parent?.above?.[field]) !== undefined
      if (isReference && required.includes(field) && !takes(of, properties[field], null)) continue
      const first = firstValue(of, field, schemas)
      const isAsked = isReference || (Object.hasOwn(schemas, field) && schemaAt(of, schemas[field]).readOnly !== true)
      if (!isAsked) row[field] = first === undefined ? (row[field] as Json) : first
      else if (usualOf(of, field, schemas) !== undefined) row[field] = first as Json
      else if (choice === 'generated') continue
      else if ((choice === 'null' || required.includes(field)) && takes(of, properties[field], null)) row[field] = null
      else if (!required.includes(field)) delete row[field]
      else row[field] = first ?? (row[field] as Json)
    }
    return { ...result, row }
  }
}

/** The default of a field, in requests or in rows. */
const usualOf = (of: CollectionCall, field: string, schemas = requestFields(of)): Json | undefined =>
  schemaAt(of, schemas[field]).default ?? schemaAt(of, rowSchema(of).properties[field]).default

/** What a field has before anything happens: its default, null, the first of its values, false, 0, nothing, or the time. */
function firstValue(of: CollectionCall, field: string, schemas: JsonObject): Json | undefined {
  const property = rowSchema(of).properties[field]
  const schema = schemaAt(of, property)
  const { enum: values, type, minimum } = schema
  const zero = Math.max(0, Number(minimum ?? 0))
  // No row has the id 0.
  const isId = /(_id|Id)$/.test(field)
  const ofType: Record<string, Json> = { boolean: false, ...(!isId && { integer: zero, number: zero }), array: [] }
  const { type: own, anyOf } = schemaOf(of.contract.documents, property)
  const isNull = (own ?? anyOf) !== undefined && takes(of, property, null)
  const [first] = [
    usualOf(of, field, schemas),
    isNull ? null : undefined,
    (values as Json[] | undefined)?.[0],
    schema.format === 'date-time' ? of.sandbox.clock.time : ofType[String([type].flat()[0])]
  ].filter((it) => it !== undefined && wrongIn(of, field, it).length === 0)
  return first
}

/** The fields of a row that the body of an operation may have. */
const requestFields = (of: CollectionCall): JsonObject =>
  rowFieldsIn(of.contract.documents, of.operation.input.body, rowSchema(of)).properties

/** Takes away what a PATCH sets to null, if the row cannot have null there, but can be without it. */
export function removeNulls(of: CollectionCall, next: JsonObject): void {
  const { properties, required } = rowSchema(of)
  for (const [field, value] of Object.entries(bodyOf(of))) {
    const isFree = value === null && Object.hasOwn(properties, field) && !required.includes(field)
    if (isFree && schemaAt(of, properties[field]).readOnly !== true && !takes(of, properties[field], null))
      delete next[field]
  }
}

/** Takes away what a PUT leaves out, if the row can be without it. */
export function removeAbsent(of: CollectionCall, next: JsonObject, fields: JsonObject): void {
  const { properties, required } = rowSchema(of)
  const { key = 'id' } = of.collection
  const names = Object.keys(requestFields(of)).filter((it) => Object.hasOwn(next, it) && !Object.hasOwn(fields, it))
  const isFree = (it: string) =>
    usualOf(of, it) !== undefined || !required.includes(it) || takes(of, properties[it], null)
  const removals = names.filter((it) => it !== 'id' && it !== key && isFree(it))
  if (removals.length > 0 && of.assume('put.absent') === 'removed')
    for (const field of removals) {
      const usual = usualOf(of, field)
      if (usual !== undefined) next[field] = usual
      else if (required.includes(field)) next[field] = null
      else delete next[field]
    }
}
