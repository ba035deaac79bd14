import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

/** The choice in force of every assumption, by ledger id. */
export type Choices = Readonly<Record<string, string>>

/** One file of contracts/ as it stands on disk, by file name. */
export type Documents = Record<string, JsonObject>

/** The folder that holds package.json: the same from source, from the build and from an installed package. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}

/** The version of this package. */
export function packageVersion(): string {
  return readJson(join(packageRoot(), 'package.json')).version as string
}

export function readJson(path: string): JsonObject {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`)
  }
}

/** Reads every contract file; the ledger and the schema of the format itself are not contracts. */
export function readDocuments(folder: string = join(packageRoot(), 'contracts')): Documents {
  const documents: Documents = {}
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith('.json') || name === 'assumptions.json' || name === 'contract.schema.json') continue
    documents[name] = readJson(join(folder, name))
  }
  return documents
}

/**
 * The documents under these choices: wherever an object carries `x-assumption: {id: {choice: patch}}`,
 * the patch of the choice in force is merged into it (RFC 7386), and `x-assumed: [id]` takes its place. References
 * name their file, so that a part of a document means the same alone.
 */
export function resolve(documents: Documents, choices: Choices): Documents {
  return Object.fromEntries(
    Object.entries(documents).map(([file, document]) => [file, resolveValue(document, file, choices) as JsonObject])
  )
}

function resolveValue(value: Json, file: string, choices: Choices): Json {
  if (Array.isArray(value)) return value.map((item) => resolveValue(item, file, choices))
  if (!isObject(value)) return value
  const { 'x-assumption': patches, ...rest } = value
  let result: JsonObject = rest
  if (isObject(patches)) {
    for (const [id, byChoice] of Object.entries(patches)) {
      const patch = isObject(byChoice) ? byChoice[choices[id] ?? ''] : undefined
      if (patch !== undefined) result = mergePatch(result, patch) as JsonObject
    }
    result['x-assumed'] = Object.keys(patches)
  }
  for (const [key, item] of Object.entries(result)) {
    result[key] = key === '$ref' && String(item).startsWith('#') ? file + item : resolveValue(item, file, choices)
  }
  return result
}

/** JSON merge patch, RFC 7386: null removes. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const result: JsonObject = isObject(target) ? { ...target } : {}
  for (const [key, item] of Object.entries(patch)) {
    if (item === null) delete result[key]
    else result[key] = mergePatch(result[key], item)
  }
  return result
}

/** What a reference such as `chat.json#/$defs/X` points at. */
export function follow(documents: Documents, reference: string): Json {
  const [file, pointer = ''] = reference.split('#')
  let value: Json | undefined = documents[file as string]
  for (const part of pointer.split('/').slice(1)) {
    value = (value as JsonObject | undefined)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  if (value === undefined) throw new Error(`${reference} points at nothing`)
  return value
}

/** A schema, or the one that it refers to. */
export function schemaOf(documents: Documents, schema: Json | undefined): JsonObject {
  let found = schema
  while (isObject(found) && typeof found.$ref === 'string') found = follow(documents, found.$ref)
  return isObject(found) ? found : {}
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
