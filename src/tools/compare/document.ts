import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createContract } from '../../engine/contract/contract.js'
import { choose, type Profile, readLedger } from '../../engine/contract/ledger.js'
import { follow, isObject, type Json, type JsonObject, readDocuments } from '../../engine/contract/load.js'
import { readUserFile } from '../../engine/contract/message/user-file.js'
import { openapiOf } from '../../engine/contract/openapi/openapi.js'

/** An OpenAPI 3.0, 3.1 or 3.2 document, with its file for messages. */
export interface OpenApiDocument {
  name: string
  root: JsonObject
}

/** Throws an Error that says what a value is instead. A document without operations would have nothing broken. */
export function openApiDocument(name: string, value: unknown): OpenApiDocument {
  const give = 'Give an OpenAPI 3.0, 3.1 or 3.2 document, or a folder of contracts.'
  if (!isObject(value)) throw new Error(`${name} is not an object. ${give}`)
  if ('swagger' in value) throw new Error(`${name} is OpenAPI ${value.swagger}. Convert it to 3.0 or 3.1 first.`)
  if ('operations' in value && '$defs' in value) throw new Error(`${name} is one contract. Give its folder.`)
  if (typeof value.openapi !== 'string')
    throw new Error(`${name} is not an OpenAPI document: it has no "openapi". ${give}`)
  if (!/^3\.[012](\.|$)/.test(value.openapi)) throw new Error(`${name} is OpenAPI ${value.openapi}. ${give}`)
  if (!isObject(value.paths)) throw new Error(`${name} has no paths: there is nothing to compare.`)
  return { name, root: value }
}

/** A value, or the target of its `$ref`. Throws if the target does not exist. */
export function target(document: OpenApiDocument, value: Json | undefined): JsonObject {
  const chain = new Set<Json>()
  let node = value
  while (isObject(node) && typeof node.$ref === 'string') {
    if (chain.has(node)) throw new Error(`${document.name}: the reference ${node.$ref} leads to itself.`)
    chain.add(node)
    node = pointedAt(document, node.$ref)
  }
  return isObject(node) ? node : {}
}

/** The target of a `$ref` in the same document. */
export function pointedAt({ name, root }: OpenApiDocument, reference: string): Json {
  if (!reference.startsWith('#')) {
    throw new Error(`${name} refers to another file, ${reference}. Bundle it into one document first.`)
  }
  try {
    return follow({ '': root }, reference)
  } catch {
    throw new Error(`${name}: the reference ${reference} cannot be resolved.`)
  }
}

/** Reads a folder of contracts with its own ledger, or an OpenAPI document. Throws an Error with a readable message. */
export function readSide(path: string, profile: Profile, assume: [string, string][]): OpenApiDocument {
  if (/^https?:/i.test(path)) throw new Error(`${path} is an address. Save the document and give the file.`)
  if (!existsSync(path)) throw new Error(`${path} does not exist.`)
  if (!statSync(path).isDirectory()) return openApiDocument(path, readUserFile(path))
  if (!existsSync(join(path, 'assumptions.json')))
    throw new Error(`${path} is not a folder of contracts: it has no assumptions.json.`)
  const entries = readLedger(path)
  const choices = choose(entries, profile, assume)
  try {
    return openApiDocument(path, openapiOf(createContract(readDocuments(path), choices), { entries, choices }))
  } catch (error) {
    throw new Error(`${path} contains no readable contracts: ${(error as Error).message}`)
  }
}
