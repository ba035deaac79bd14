import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ValidateFunction } from 'ajv'
import { lazily } from '../lazy.js'
import { type Documents, digestOf, packageRoot } from '../load.js'
import { errorKey, inputKey, replyKey, rowKey } from './compile.js'
import { inputFormats, replyFormats } from './formats.js'
import { note } from './noted.js'
import type { Validators } from './validate.js'

/** What a file exports: a compiled schema, given what its code calls. */
type Module = (formats: object, hook: typeof note) => ValidateFunction

/**
 * The schemas of these very documents as the build compiled them. What the build did not compile, or what a newer build
 * has taken away since, `others` compiles.
 */
export function prebuiltValidators(documents: Documents, others: Validators): Validators {
  const folder = prebuiltFolder(documents)
  if (!existsSync(folder)) return others
  const loaded = new Map<string, ValidateFunction>()
  const load = (key: string, formats: object, otherwise: () => ValidateFunction): ValidateFunction => {
    let validator = loaded.get(key)
    if (!validator) {
      const file = join(folder, `${key}.cjs`)
      validator = existsSync(file) ? (lazily(file) as Module)(formats, note) : otherwise()
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

/** Named by what was compiled, so that it never stands for other documents. A file per schema: a run needs few. */
export function prebuiltFolder(documents: Documents): string {
  return join(packageRoot(), 'dist', 'schemas', digestOf(documents).slice(0, 16))
}
