import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ValidateFunction } from 'ajv'
import { lazily } from '../lazy.js'
import { builtDigest, type Documents, digestOf, packageRoot } from '../load.js'
import { once } from '../once.js'
import { errorKey, inputKey, replyKey, rowKey, type Validators } from './compile.js'
import { inputFormats, note, replyFormats } from './formats.js'

/** The exports of a built file: compiled schemas by name. Each takes the functions that its code calls. */
type Module = Record<string, (formats: object, hook: typeof note) => ValidateFunction>

/**
 * The schemas as the build compiled them. `others` compiles schemas that the build did not compile, or that a newer
 * build removed.
 */
export function prebuiltValidators(documents: Documents, others: Validators): Validators {
  // On first use, because the digest takes a millisecond, and many contracts check nothing.
  const folder = once(() => prebuiltFolder(documents))
  const loaded = new Map<string, ValidateFunction>()
  const load = (key: string, formats: object, otherwise: () => ValidateFunction): ValidateFunction => {
    let validator = loaded.get(key)
    if (!validator) {
      const [name, schema] = key.split('/') as [string, string]
      const file = join(folder(), `${name}.cjs`)
      validator = (existsSync(file) && (lazily(file) as Module)[schema]?.(formats, note)) || otherwise()
      loaded.set(key, validator)
    }
    return validator
  }
  return {
    input: (operation) => load(inputKey(operation), inputFormats, () => others.input(operation)),
    reply: (operation, status) =>
      load(replyKey(operation, status), replyFormats, () => others.reply(operation, status)),
    error: (form) => load(errorKey(form), replyFormats, () => others.error(form)),
    row: (collection) => load(rowKey(collection), inputFormats, () => others.row(collection))
  }
}

/** The folder's name is a hash of the documents, so it never belongs to other documents. */
export function prebuiltFolder(documents: Documents): string {
  return join(packageRoot(), 'dist', 'schemas', (builtDigest(documents) ?? digestOf(documents)).slice(0, 16))
}
