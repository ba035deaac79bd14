import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ValidateFunction } from 'ajv'
import { lazily } from '../lazy.js'
import { compiledDocuments, type Documents, follow, packageRoot } from '../load.js'
import { inMap, once } from '../once.js'
import { errorKey, inputKey, replyKey, rowKey, type Validators } from './compile.js'
import { inputFormats, note, replyFormats } from './formats.js'

/** The exports of a built file: compiled schemas by name. Each takes the functions that its code calls. */
type Module = Record<string, (formats: object, hook: typeof note) => ValidateFunction>

/**
 * The schemas as the build compiled them. Most schemas are the same under all choices of the assumptions. `others` compiles
 * those that are not, and those that the build did not compile.
 */
export function prebuiltValidators(documents: Documents, others: Validators): Validators {
  const build = once(() => compiledDocuments(documents) ?? null)
  const loaded = new Map<string, ValidateFunction>()
  /** `place`: where the schema is in the documents. */
  const load = (key: string, place: string, formats: object, otherwise: () => ValidateFunction) =>
    inMap(loaded, key, () => {
      const [name, schema] = key.split('/') as [string, string]
      const file = join(compiledFolder(), `${name}.cjs`)
      const it = build()
      const isBuilt = it && existsSync(file) && (it.isSame || areAlike(documents, it.compiled, place))
      return (isBuilt && (lazily(file) as Module)[schema]?.(formats, note)) || otherwise()
    })
  return {
    input(operation) {
      const { id, resource } = operation
      const place = `${resource}.json#/operations/${id}/input`
      return load(inputKey(operation), place, inputFormats, () => others.input(operation))
    },
    reply(operation, status) {
      const { id, resource } = operation
      const place = `${resource}.json#/operations/${id}/responses/${status}/schema`
      return load(replyKey(operation, status), place, replyFormats, () => others.reply(operation, status))
    },
    error: (form) => load(errorKey(form), `common.json#/$defs/${form}`, replyFormats, () => others.error(form)),
    row(collection) {
      const { name, resource } = collection
      const place = `${resource}.json#/collections/${name}/row`
      return load(rowKey(collection), place, inputFormats, () => others.row(collection))
    }
  }
}

/** Whether two documents have the same at a place, with all that it refers to. */
function areAlike(some: Documents, others: Documents, place: string): boolean {
  const all = new Set([place])
  for (const it of all) {
    const [text, other] = [some, others].map((documents) => textAt(documents, it) ?? (isInput.test(it) ? '{}' : ''))
    if (!text || text !== other) return false
    for (const [, reference] of text.matchAll(/"\$ref":"([^"]+)"/g)) all.add(reference as string)
  }
  return true
}

/** Operations without parameters and body have none. */
const isInput = /\/input$/

/** The texts of what schemas refer to, which is the same object for all operations. */
const texts = new WeakMap<object, string>()

function textAt(documents: Documents, place: string): string | undefined {
  try {
    const part = follow(documents, place) as object
    return inMap(texts, part, () => JSON.stringify(part))
  } catch {
    return undefined
  }
}

/** Where the build keeps the schemas that it has compiled. */
export const compiledFolder = () => join(packageRoot(), 'dist', 'schemas')
