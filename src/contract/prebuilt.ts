import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ValidateFunction } from 'ajv'
import { inputKey, replyKey, rowKey } from './compile.js'
import { inputFormats, replyFormats } from './formats.js'
import { lazily } from './lazy.js'
import { type Documents, packageRoot } from './load.js'
import { note } from './noted.js'
import type { Validators } from './validate.js'

/** What a file exports: a compiled schema, given what its code calls. */
type Module = (formats: object, hook: typeof note) => ValidateFunction

/** The schemas of these very documents as the build compiled them; undefined where it did not. */
export function prebuiltValidators(documents: Documents): Validators | undefined {
  const folder = prebuiltFolder(documents)
  if (!existsSync(folder)) return undefined
  const loaded = new Map<string, ValidateFunction>()
  const load = (key: string, formats: object): ValidateFunction => {
    let validator = loaded.get(key)
    if (!validator) {
      validator = (lazily(join(folder, `${key}.cjs`)) as Module)(formats, note)
      loaded.set(key, validator)
    }
    return validator
  }
  return {
    input: (operation) => load(inputKey(operation), inputFormats),
    reply: (operation, status) => load(replyKey(operation, status), replyFormats),
    row: (collection) => load(rowKey(collection), replyFormats)
  }
}

/** Named by what was compiled, so that it never stands for other documents. A file per schema: a run needs few. */
export function prebuiltFolder(documents: Documents): string {
  const digest = createHash('sha256').update(JSON.stringify(documents)).digest('hex').slice(0, 16)
  return join(packageRoot(), 'dist', 'schemas', digest)
}
