import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { type Contract, createContract } from '../engine/contract/contract.js'
import { defaultChoices, type LedgerEntry, readLedger } from '../engine/contract/ledger.js'
import {
  controlDocument,
  type Documents,
  isObject,
  type Json,
  type JsonObject,
  readDocuments,
  schemaOf
} from '../engine/contract/load.js'
import type { CollectionRow, Operation } from '../engine/contract/model.js'

/** Choices under which a plain field may be null, because types cover every choice. */
const withNulls = { 'requests.null': 'accepted', 'responses.null': 'null' }

/** The areas of the questions that the engine asks, whatever API it serves. All others are the API's. */
const engineAreas = ['auth', 'errors', 'requests', 'responses', 'delete', 'limits', 'upload']

/** Prints the types of the engine, and those of the API that the rules are checked against. */
export async function printTypes(): Promise<{ engine: string; api: string }> {
  const ledger = readLedger()
  const raw = readDocuments()
  const contract = createContract(raw, { ...defaultChoices(ledger), ...withNulls })
  const engine = await typesIn(contract, 'ControlSchemas', (file) => file === controlDocument)
  const api = await typesIn(contract, 'Schemas', (file) => file !== controlDocument)
  const header = '// Printed from contracts/ by npm run build. Do not edit.'
  return {
    engine: [
      header,
      engine.types,
      operationTypes('Operations', engine),
      assumptionTypes(ledger.filter(({ id }) => engineAreas.includes(id.split('.')[0] as string))),
      reasonTypes([raw[controlDocument] as JsonObject, raw['common.json'] as JsonObject]),
      '/** The reply of an operation that deletes; see delete.body. */',
      'export interface Deleted {\n  deleted: true\n  id: number | null\n}\n'
    ].join('\n'),
    api: [
      header,
      "import type { UploadedFile } from '../../engine/contract/message/body.js'",
      "import type { ControlSchemas, Deleted, Operations as ControlOperations } from '../../engine/contract/types.gen.js'",
      api.types.replace('export interface Schemas {', 'export interface Schemas extends ControlSchemas {'),
      operationTypes('Operations extends ControlOperations', api),
      rowTypes(api),
      traitTypes(api),
      assumptionTypes(ledger),
      reasonTypes(Object.values(raw))
    ].join('\n')
  }
}

interface Types {
  types: string
  operations: Operation[]
  collections: CollectionRow[]
  nameOf: (name: string) => string
}

/** The types of some documents: their schemas, and the messages and rows that these describe. */
async function typesIn(contract: Contract, title: string, isWanted: (file: string) => boolean): Promise<Types> {
  const local = (value: Json) => inOne(contract.documents, value)
  const isIn = ({ resource }: { resource: string }) => isWanted(`${resource}.json`)
  const operations = [...contract.operations.values(), ...contract.control.values()].filter(isIn)
  const collections = [...contract.collections.values()].filter(isIn)
  const definitions: Record<string, Json> = {}
  for (const [file, { $defs = {} }] of Object.entries(contract.documents)) {
    if (!isWanted(file)) continue
    for (const [name, schema] of Object.entries($defs as JsonObject)) definitions[name] = local(schema)
  }
  for (const operation of operations) {
    const input = Object.fromEntries(
      Object.entries(operation.input).map(([part, schema]) => [part, local(schema as Json)])
    )
    definitions[typeName(operation.id, 'Input')] = {
      type: 'object',
      additionalProperties: false,
      required: Object.keys(input),
      properties: input
    }
    const schema = (operation.responses['200'] ?? operation.responses['201'])?.schema
    definitions[typeName(operation.id, 'Reply')] = local((schema ?? { type: 'null' }) as Json)
  }
  for (const collection of collections) definitions[typeName(collection.name, 'Row')] = local(collection.row as Json)
  const root = {
    title,
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(Object.keys(definitions).map((name) => [name, { $ref: `#/$defs/${name}` }])),
    required: Object.keys(definitions),
    $defs: definitions
  }
  const types = await compile(root as JSONSchema, title, {
    additionalProperties: false,
    bannerComment: '',
    format: false,
    unreachableDefinitions: true
  })
  return {
    types: types
      .replace(/ \*\s*\n \* This interface was referenced by[^\n]*\n[^\n]*\n/g, '')
      .replace(/\/\*\*\n \* This interface was referenced by[^\n]*\n[^\n]*\n \*\/\n/g, ''),
    operations,
    collections,
    nameOf(name) {
      const { $ref, ...rest } = definitions[name] as JsonObject
      return typeof $ref === 'string' && Object.keys(rest).length === 0 ? $ref.replace('#/$defs/', '') : name
    }
  }
}

/** Turns references between files into references within one; names of definitions are unique across files. */
function inOne(documents: Documents, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => inOne(documents, item))
  if (!isObject(value)) return value
  // Fields next to a reference would turn it into a separate type.
  if (typeof value.$ref === 'string') return { $ref: value.$ref.replace(/^[^#]*#/, '#') }
  const result: JsonObject = {}
  for (const [key, item] of Object.entries(value)) {
    if (key === 'required') result.required = requiredUnderAll(documents, value)
    // A property may have the name of a keyword.
    else if (key === 'properties') {
      const fields = Object.entries(item as JsonObject)
      result.properties = Object.fromEntries(fields.map(([name, field]) => [name, inOne(documents, field)]))
    } else if (key !== 'examples' && key !== 'title' && !key.startsWith('x-')) result[key] = inOne(documents, item)
  }
  return result
}

/** The fields that no choice leaves out. */
function requiredUnderAll(documents: Documents, { required, properties = {} }: JsonObject): Json {
  const fields = properties as JsonObject
  return (required as string[]).filter((name) => !('x-null' in schemaOf(documents, fields[name])))
}

function typeName(id: string, suffix: string): string {
  return `${id[0]?.toUpperCase()}${id.slice(1)}${suffix}`
}

function operationTypes(name: string, { operations, nameOf }: Types): string {
  const rows = operations.map(
    (it) =>
      `  ${it.id}: { resource: '${it.resource}'; input: ${typeName(it.id, 'Input')}; reply: ${replyType(it, nameOf)} }`
  )
  return `/** Every operation: its resource, what its rule gets and what it returns. */\nexport interface ${name} {\n${rows.join('\n')}\n}\n`
}

/** A success for which the description shows no body is `deleted`: the contract, not the rule, defines it. */
function replyType(operation: Operation, nameOf: Types['nameOf']): string {
  return operation.responses['200']?.schema?.type === 'null' ? 'Deleted' : nameOf(typeName(operation.id, 'Reply'))
}

function rowTypes({ collections, nameOf }: Types): string {
  const rows = collections.map((it) => `  ${it.name}: ${nameOf(typeName(it.name, 'Row'))}`)
  return `/** The rows of every collection. */\nexport interface Rows {\n${rows.join('\n')}\n}\n`
}

function traitTypes({ collections }: Types): string {
  const rows = collections.map(({ name, traits = {} }) => {
    const names = Object.keys(traits).map((it) => `'${it}'`)
    return `  ${name}: ${names.join(' | ') || 'never'}`
  })
  return `/** What rows of every collection can be made as. */\nexport interface Traits {\n${rows.join('\n')}\n}\n`
}

function assumptionTypes(ledger: LedgerEntry[]): string {
  const rows = ledger.map((entry) => {
    const choices = Object.keys(entry.choices).map(
      (choice) => `\`${choice.replaceAll('<n>', `\${number}`).replace('<fields>', `\${string}`)}\``
    )
    return `  '${entry.id}': ${choices.join(' | ')}`
  })
  return `/** Every assumption and its choices. */\nexport interface Assumptions {\n${rows.join('\n')}\n}\n`
}

/** The reasons of every choice: some choices remove reasons. */
function reasonTypes(all: JsonObject[]): string {
  const operations = all.flatMap((it) => Object.values((it.operations ?? {}) as Record<string, JsonObject>))
  const names = [...all, ...operations].flatMap(({ refusals }) => Object.keys((refusals ?? {}) as object))
  const reasons = new Set(names.filter((name) => name !== 'x-assumption').sort())
  return `/** Why a request may be refused; each operation's contract has those that it knows. */\nexport type Reason =\n${[...reasons].map((it) => `  | '${it}'`).join('\n')}\n`
}
