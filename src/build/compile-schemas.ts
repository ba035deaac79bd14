import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { _, type Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import standaloneModule from 'ajv/dist/standalone/index.js'
import { transformSync } from 'esbuild'
import type { Contract } from '../contract/contract.js'
import { errorForms } from '../contract/outcomes.js'
import {
  createAjvs,
  errorKey,
  errorSchema,
  inputKey,
  inputSchema,
  replyKey,
  replySchema,
  rowKey
} from '../contract/validation/compile.js'
import { prebuiltFolder } from '../contract/validation/prebuilt.js'

const standalone = standaloneModule.default

/**
 * Compiles every schema of a contract into code: compiling is most of what a start would wait for. Each operation has a
 * file, as a run needs few of them.
 */
export function compileSchemas({ documents, operations, control, collections }: Contract): void {
  const folder = prebuiltFolder(documents)
  mkdirSync(folder, { recursive: true })
  const { inputs, others } = createAjvs(documents, { source: true, formats: _`formats` })
  const write = (key: string, ajv: Ajv2020, schema: AnySchema) => {
    const [file, name] = key.split('/')
    const code = functionOf(name as string, standalone(ajv, ajv.compile(schema)))
    appendFileSync(join(folder, `${file}.cjs`), transformSync(code, { minify: true, target: 'node20' }).code)
  }
  for (const operation of [...operations.values(), ...control.values()]) {
    write(inputKey(operation), inputs, inputSchema(operation))
    for (const [status, { schema }] of Object.entries(operation.responses)) {
      if (schema) write(replyKey(operation, status), others, replySchema(operation, status))
    }
  }
  for (const form of errorForms) write(errorKey(form), others, errorSchema(form))
  for (const collection of collections.values()) write(rowKey(collection), inputs, collection.row)
}

/** The code as a function of what it calls: the formats, and the hook of x-assumed. */
function functionOf(name: string, code: string): string {
  return `exports['${name}'] = (formats, note) => {\nconst module = {}\n${code}\nreturn module.exports\n}\n`
}
