import { type Documents, follow, isObject, type Json, type JsonObject } from '../load.js'
import type { Mistake } from './types.js'

/** A part of a document, with its reference resolved. */
export function resolved(
  document: JsonObject,
  value: Json | undefined,
  path: string[],
  mistakes: Mistake[]
): Json | undefined {
  let part = value
  for (let steps = 0; isObject(part) && part.$ref !== undefined && steps < 10; steps++) {
    const text = referenceMistake(document, part.$ref)
    if (text) {
      mistakes.push({ path: [...path, '$ref'], text })
      return undefined
    }
    part = follow({ '': document } as Documents, part.$ref as string)
  }
  return part
}

/** Why a reference is broken, or undefined if it is not. */
export function referenceMistake(document: JsonObject, reference: Json): string | undefined {
  if (typeof reference !== 'string') return '$ref must be a string'
  if (!reference.startsWith('#')) {
    return `${reference} points into another file: bundle the document into one, for example with npx @redocly/cli bundle`
  }
  if (!/^#(\/|$)/.test(reference)) {
    return `${reference} is an anchor: use a path such as #/components/schemas/Name`
  }
  try {
    follow({ '': document }, reference)
    return undefined
  } catch {
    return `${reference} cannot be resolved`
  }
}
