import type { CollectionInfo, Operations } from '../../../contract/types.gen.js'

export type CollectionName = Operations['listRows']['input']['path']['collection']
export type Field = CollectionInfo['fields'][number]
export type AnyRow = { id: string | number } & Record<string, unknown>

const most = 7

/** The fields that a table has room for: the id, and the first ones that are no objects or lists. */
export function columnsOf({ fields }: CollectionInfo): Field[] {
  const plain = fields.filter(({ types }) => !types.includes('object') && !types.includes('array'))
  const id = plain.filter(({ name }) => name === 'id')
  return [...id, ...plain.filter(({ name }) => name !== 'id')].slice(0, most)
}

/** What a field's input holds: its text, or null. */
export type Draft = string | null

/** A value as its input shows it. */
export function draftOf(value: unknown): Draft {
  if (value === undefined) return ''
  if (value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}

/**
 * The value that an input means: JSON where the field is no text. What is no JSON is sent as the text that it is, for
 * the contract to say what is wrong with it.
 */
export function meaningOf({ types }: Field, draft: Draft): unknown {
  if (draft === null || types.every((type) => type === 'string' || type === 'null')) return draft
  try {
    return JSON.parse(draft)
  } catch {
    return draft
  }
}
