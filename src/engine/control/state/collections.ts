import type { Contract } from '../../contract/contract.js'
import { type Documents, isObject, type Json, type JsonObject, schemaOf } from '../../contract/load.js'
import type { CollectionRow } from '../../contract/model.js'
import type { CollectionInfo } from '../../contract/types.gen.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { collectionOf } from '../../store/rows.js'
import { contextAt } from '../journal/past.js'
import type { ControlRules } from '../rule.js'
import { showing } from './shown.js'

type Field = CollectionInfo['fields'][number]

export const collectionRules: ControlRules<'listCollections'> = {
  listCollections: ({ query: { at } }, context) => {
    const { contract, sandbox } = contextAt(context, at)
    return {
      collections: [...contract.collections.values()].map(({ name, description, label, traits = {} }) => {
        const { field, stages } = contract.api.lifecycles[name] ?? {}
        return {
          name,
          description,
          ...(label && { label }),
          ...(field && stages && { lifecycle: { field, stages: stages.map((it) => [...it]) } }),
          traits,
          rows: countShown(contract, sandbox, name),
          ...actionsOf(contract, name),
          fields: fieldsOf(contract, name)
        }
      }),
      ...(contract.api.document && { not_understood: contract.api.document.notUnderstood })
    }
  }
}

/** What operations such as `POST /orders/{id}/cancel` set in the rows of a collection. */
function actionsOf({ operations }: Contract, name: string): Pick<CollectionInfo, 'actions'> {
  const actions = [...operations.values()].flatMap(({ id, mock }) =>
    mock?.row?.action && mock.row.collection === name ? [{ operation: id, ...mock.row.action }] : []
  )
  return actions.length === 0 ? {} : { actions }
}

/** The number of rows in a collection now: some disappear by themselves. */
function countShown({ api }: Contract, sandbox: Sandbox, name: string): number {
  const rows = collectionOf(sandbox.rows, name)
  if (!api.collections[name]?.isGone) return rows.size
  const show = showing(api, sandbox, sandbox.rows)
  let count = 0
  for (const row of rows.all()) if (show(name, row)) count++
  return count
}

/** The fields in a row, in what is in it, and so on. A schema may contain itself. */
const deepest = 4

export function fieldsOf({ documents, collections }: Contract, name: string): Field[] {
  const { row, references, links } = collections.get(name) as CollectionRow
  return fieldsIn(documents, schemaOf(documents, row)).map((field) => {
    const target = references[field.name] ?? links?.[field.name]
    return target === undefined ? field : { ...field, references: target }
  })
}

function fieldsIn(documents: Documents, { required = [], properties = {} }: JsonObject, depth = 1): Field[] {
  const isRequired = (name: string) => (required as string[]).includes(name)
  return Object.entries(properties as JsonObject).map(([name, schema]) => {
    return fieldOf(documents, name, schema, isRequired(name), depth)
  })
}

function fieldOf(documents: Documents, name: string, schema: Json, required: boolean, depth: number): Field {
  // A nullable field is written as a union of two schemas.
  const { allOf = [], ...own } = schemaOf(documents, schema)
  const whole: JsonObject = Object.assign({}, ...(allOf as Json[]).map((it) => schemaOf(documents, it)), own)
  const forms = (whole.anyOf as Json[] | undefined) ?? [whole]
  const schemas = forms.map((it) => schemaOf(documents, it))
  const values = schemas.flatMap((it) => (it.enum as Json[] | undefined) ?? []).filter((it) => it !== null)
  const first = (key: 'format' | 'description') =>
    [schema, ...schemas].flatMap((it) => (isObject(it) && typeof it[key] === 'string' ? [it[key]] : []))[0]
  const [format, description] = [first('format'), first('description')]
  const [only, ...others] = schemas.filter(({ type }) => type !== 'null')
  const inner = depth < deepest && others.length === 0 ? only : undefined
  return {
    name,
    types: [...new Set(schemas.flatMap(typesOf))],
    required,
    ...(values.length > 0 && { values: values.map(String) }),
    ...(format !== undefined && { format }),
    ...(description !== undefined && { description }),
    ...(isObject(inner?.properties) && { fields: fieldsIn(documents, inner, depth + 1) }),
    ...(isObject(inner?.items) && { items: fieldOf(documents, name, inner.items, true, depth + 1) })
  }
}

function typesOf(schema: JsonObject): string[] {
  if (schema.type !== undefined) return [schema.type].flat() as string[]
  const values = (schema.enum ?? []) as Json[]
  return values.map((value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value))
}
