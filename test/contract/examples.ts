import { isObject, type Json, type JsonObject } from '../../src/engine/contract/load.js'
import type { Operation } from '../../src/engine/contract/model.js'
import type { CallOptions } from '../mock.js'

/** The path and query of a request for an operation. */
export function addressOf(operation: Operation, path: JsonObject = {}, query: JsonObject = {}): string {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(path[name])))
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string])
  )
  return search.size > 0 ? `${filled}?${search}` : filled
}

/** The body of a request for an operation: JSON, or a form whose files are written out in the contract's examples. */
export function bodyOf(operation: Operation, body: Json | undefined): CallOptions {
  if (!operation.form) return body === undefined ? {} : { body: JSON.stringify(body) }
  const form = new FormData()
  for (const [name, value] of Object.entries((isObject(body) ? body : {}) as JsonObject)) {
    for (const item of [value].flat()) append(form, name, item as Json)
  }
  return { form }
}

function append(form: FormData, name: string, value: Json): void {
  if (isObject(value) && isObject(value['x-file'])) {
    const { name: file, type, text, base64 } = value['x-file'] as Record<string, string>
    const bytes = base64 === undefined ? Buffer.from(text as string) : Buffer.from(base64, 'base64')
    form.append(name, new Blob([bytes], { type }), file)
  } else form.append(name, String(value))
}
