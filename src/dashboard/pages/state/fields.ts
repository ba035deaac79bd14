import type { CollectionInfo, Operations } from '../../../engine/contract/types.gen.js'
import { call, Refused, send } from '../client.js'
import { isSame, jsonIn, pretty } from '../json/values.js'
import type { Choice } from '../parts/choices.js'
import { undoable } from '../undo.js'
import { one, titleOf } from './labels.js'

export type CollectionName = Operations['listRows']['input']['path']['collection']
export type Field = CollectionInfo['fields'][number]
export type AnyRow = { id: string | number } & Record<string, unknown>

const most = 7
/** Fields that name a row, best first. */
const naming = ['name', 'display_name', 'key', 'email', 'description']

export function nameIn(row: object | undefined): string | undefined {
  const values = naming.map((field) => (row as Record<string, unknown> | undefined)?.[field])
  return values.find((value): value is string => typeof value === 'string' && value !== '')
}

export function columnsOf({ fields }: CollectionInfo, chosen: string | null): readonly Field[] {
  const columns = fields.filter(({ name }) => chosen?.split(',').includes(name))
  const title = naming.map((name) => fields.find((field) => field.name === name)).find((it) => it !== undefined)
  const first = title ?? fields.find(({ name }) => name === 'id')
  const isBare = ({ name, types, format }: Field) =>
    types.includes('array') || format === 'uuid' || name.endsWith('_id')
  const usual = fields.filter(
    (field) => field !== first && !field.types.includes('object') && (field.references !== undefined || !isBare(field))
  )
  if (columns.length > 0) return columns.sort((a, b) => Number(b === first) - Number(a === first))
  return [...(first ? [first] : []), ...usual.slice(0, most - 1)]
}

export function choicesOf({ values, types }: Field): readonly string[] | undefined {
  if (values) return values
  const isBoolean = types.includes('boolean') && types.every((type) => type === 'boolean' || type === 'null')
  return isBoolean ? ['true', 'false'] : undefined
}

export type Draft = string | null

export function draftOf(value: unknown): Draft {
  if (value === undefined) return ''
  return value === null ? null : pretty(value)
}

/** The value of an input: JSON if the field is not a text. */
export function valueIn({ types }: Field, draft: Draft): unknown {
  const isText = types.includes('string') && types.every((type) => type === 'string' || type === 'null')
  return draft === null || isText ? draft : jsonIn(draft)
}

/** The value that an input begins with: a new item of a list, or one that was null. */
export function blankOf(field: Field): unknown {
  const { types, fields = [] } = field
  if (types.includes('array')) return []
  if (!types.includes('object')) return valueIn(field, choicesOf(field)?.[0] ?? '')
  const inner = fields.filter(({ required }) => required)
  return Object.fromEntries(inner.map((it) => [it.name, it.types.includes('null') ? null : blankOf(it)]))
}

export async function findRows(collection: string, text: string, limit = 30): Promise<Choice[]> {
  const path = { collection: collection as CollectionName }
  const { rows, names } = await call('listRows', { path, query: { q: text, limit, names: true } })
  return (rows as AnyRow[]).map(({ id }) => {
    const label = titleOf(names, collection, id)
    return { id: String(id), label, hint: label === String(id) ? undefined : String(id) }
  })
}

/** Another client has changed the same fields since the row was loaded. */
export class Conflict extends Refused {
  constructor(
    readonly now: AnyRow,
    fields: readonly string[]
  ) {
    const detailOf = (field: string) =>
      `Someone else has changed this. It is now ${JSON.stringify(now[field])}. Save again to overwrite it.`
    const errors = fields.map((field) => ({ field, detail: detailOf(field) }))
    super({ type: 'about:blank', title: 'Conflict', status: 409, detail: '', errors })
  }
}

/** Saves changed fields over the current row. Throws a Conflict if another client has changed one of them since. */
export async function saveRow(collection: string, loaded: AnyRow, changed: Record<string, unknown>): Promise<void> {
  const path = { collection: collection as CollectionName, id: String(loaded.id) }
  // The version comes first: a change between these calls is then refused, and so is one after them.
  const answer = await send('getRow', { path, query: { stored: true } })
  const stored = (await answer.json()) as AnyRow
  const now = (await call('getRow', { path })) as AnyRow
  const conflicts = Object.keys(changed).filter((field) => !isSame(now[field], loaded[field]))
  if (conflicts.length > 0) throw new Conflict(now, conflicts)
  const ifMatch = answer.headers.get('etag') ?? '*'
  try {
    await undoable('replaceRow', { path, ifMatch, body: { ...stored, ...changed } }, `${one(collection)} was saved.`)
  } catch (error) {
    if (error instanceof Refused && error.problem.status === 412) return saveRow(collection, loaded, changed)
    throw error
  }
}
