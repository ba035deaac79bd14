import type { CollectionInfo, Operations } from '../../../contract/types.gen.js'

export type CollectionName = Operations['listRows']['input']['path']['collection']
export type Field = CollectionInfo['fields'][number]
export type AnyRow = { id: string | number } & Record<string, unknown>

const most = 7

/** The fields in the table: the id, and the first ones that are not objects or lists. */
export function columnsOf({ fields }: CollectionInfo): Field[] {
  const plain = fields.filter(({ types }) => !types.includes('object') && !types.includes('array'))
  const id = plain.filter(({ name }) => name === 'id')
  return [...id, ...plain.filter(({ name }) => name !== 'id')].slice(0, most)
}

/** The text of a field's input, or null. */
export type Draft = string | null

/** A value as the text of its input. */
export function draftOf(value: unknown): Draft {
  if (value === undefined) return ''
  if (value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}

/**
 * The value of an input: JSON if the field is not a text. Invalid JSON is sent as text, so that the contract reports
 * the error.
 */
export function meaningOf({ types }: Field, draft: Draft): unknown {
  if (draft === null || types.every((type) => type === 'string' || type === 'null')) return draft
  try {
    return JSON.parse(draft)
  } catch {
    return draft
  }
}
