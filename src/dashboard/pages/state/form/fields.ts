import type { CollectionInfo, Operations } from '../../../../engine/contract/types.gen.js'
import { jsonIn, pretty } from '../../json/text.js'

export type CollectionName = Operations['listRows']['input']['path']['collection']
export type Field = CollectionInfo['fields'][number]
export type AnyRow = { id: string | number } & Record<string, unknown>

const most = 7
/** Fields that name a row, best first. */
const naming = ['name', 'display_name', 'key', 'email', 'description']

/** The chosen columns; or the name, and the first fields that are not objects, long texts or bare ids. */
export function columnsOf({ fields }: CollectionInfo, chosen: string | null): readonly Field[] {
  const wanted = fields.filter(({ name }) => chosen?.split(',').includes(name))
  const title = naming.map((name) => fields.find((field) => field.name === name)).find((it) => it !== undefined)
  const first = title ?? fields.find(({ name }) => name === 'id')
  const isShort = (field: Field) =>
    field !== first &&
    !field.types.includes('object') &&
    (field.references !== undefined || !field.types.includes('array')) &&
    (field.references !== undefined || (field.format !== 'uuid' && !field.name.endsWith('_id')))
  const usual = fields.filter(isShort).slice(0, most - 1)
  if (wanted.length > 0) return wanted.sort((a, b) => Number(b === first) - Number(a === first))
  return first ? [first, ...usual] : usual
}

/** The valid values of a field, if they are few. */
export function choicesOf({ values, types }: Field): readonly string[] | undefined {
  if (values) return values
  return types.every((type) => type === 'boolean' || type === 'null') ? ['true', 'false'] : undefined
}

/** The text of a field's input, or null. */
export type Draft = string | null

/** A value as the text of its input. */
export function draftOf(value: unknown): Draft {
  if (value === undefined) return ''
  return value === null ? null : pretty(value)
}

/** The value of an input: JSON if the field is not a text. */
export function meaningOf({ types }: Field, draft: Draft): unknown {
  const isText = draft === null || types.every((type) => type === 'string' || type === 'null')
  return isText ? draft : jsonIn(draft)
}
