import type { CollectionRow } from '../../../contract/contract.js'
import type { JsonObject } from '../../../contract/load.js'
import { Invalid } from '../../../contract/pydantic/explain.js'
import type { RowList } from '../../../contract/types.gen.js'
import type { CollectionName, Store } from '../../../store/rows.js'
import type { ControlContext } from '../rule.js'
import { wrong } from '../wrong-field.js'
import { fieldsOf } from './collections.js'
import { collectionOf } from './ids.js'

type Id = string | number

/** Fields that name a row for people, the best first. */
const naming = ['name', 'display_name', 'description', 'key', 'email', 'title']

/** The name of a row for people. A link between rows has the names of those; undefined: it has none. */
export function nameOf({ contract, sandbox }: ControlContext, collection: string, row: JsonObject): string | undefined {
  const own = naming.map((field) => row[field]).find((text) => typeof text === 'string' && text !== '')
  if (own !== undefined) return own as string
  const { references } = contract.collections.get(collection) as CollectionRow
  for (const [field, target] of Object.entries(references)) {
    const named = typeof row[field] === 'object' ? undefined : find(sandbox.rows, target, row[field] as Id)
    const name = named && naming.map((it) => named[it]).find((text) => typeof text === 'string' && text !== '')
    if (target !== 'users' && name !== undefined) return name as string
  }
  return undefined
}

/** The names of rows, and of the rows that they refer to, by collection and id. */
export function namesIn(context: ControlContext, collection: CollectionName, rows: readonly JsonObject[]) {
  const names: NonNullable<RowList['names']> = {}
  const add = (name: string, id: Id, row: JsonObject | undefined) => {
    const text = row && nameOf(context, name, row)
    names[name] ??= {}
    if (text !== undefined) names[name][String(id)] = text
  }
  const { references } = context.contract.collections.get(collection) as CollectionRow
  for (const row of rows) {
    add(collection, row.id as Id, row)
    for (const [field, target] of Object.entries(references)) {
      for (const id of idsIn(row[field])) add(target, id, find(context.sandbox.rows, target, id))
    }
  }
  return names
}

/**
 * A test for rows by the texts of their fields. A text must be in the field, or be the whole field if it begins with =.
 * A reference also has the name of its row. Throws an Invalid that names the good fields.
 */
export function fieldTest(context: ControlContext, collection: string, text: string): (row: JsonObject) => boolean {
  const wanted = readWhere(text)
  const known = fieldsOf(context.contract, collection as CollectionName).map(({ name }) => name)
  for (const field of Object.keys(wanted)) {
    if (known.includes(field)) continue
    throw new Invalid([wrong(['query', 'where'], `There is no field "${field}". Known: ${known.join(', ')}.`, known)])
  }
  const { references } = context.contract.collections.get(collection) as CollectionRow
  return (row) =>
    Object.entries(wanted).every(([field, part]) => {
      const value = row[field]
      if (part.startsWith('=')) return textOf(value) === part.slice(1)
      const target = references[field]
      const named = target === undefined ? [] : idsIn(value).map((id) => find(context.sandbox.rows, target, id))
      const names = named.map((it) => it && nameOf(context, target as string, it))
      return [textOf(value), ...names].some((it) => it?.toLowerCase().includes(part.toLowerCase()))
    })
}

function readWhere(text: string): Record<string, string> {
  try {
    const value = JSON.parse(text) as unknown
    const isGood = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (isGood && Object.values(value).every((it) => typeof it === 'string')) return value as Record<string, string>
  } catch {}
  throw new Invalid([
    wrong(['query', 'where'], 'Give a JSON object of fields and texts, such as {"status": "FAILED"}.')
  ])
}

function idsIn(value: unknown): Id[] {
  if (value === null || value === undefined) return []
  return Array.isArray(value) ? value : [value as Id]
}

function find(rows: Store, collection: string, id: Id): JsonObject | undefined {
  return collectionOf(rows, collection as CollectionName).get(id) as JsonObject | undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
