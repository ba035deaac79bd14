import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createContract } from '../../contract/contract.js'
import { choose, type Profile, readLedger } from '../../contract/ledger.js'
import { readDocuments } from '../../contract/load.js'
import { readUserFile } from '../../contract/message/user-file.js'
import { openapiOf } from '../../contract/openapi/openapi.js'
import { type OpenApiDocument, openApiDocument } from './document.js'

/** The choices for reading a folder of contracts. Documents have no choices. */
export interface ReadOptions {
  profile: Profile
  assume: [string, string][]
}

/**
 * Reads a folder of contracts with its own ledger, or an OpenAPI document in JSON or YAML. Throws an Error with a
 * readable message.
 */
export function readSide(path: string, { profile, assume }: ReadOptions): OpenApiDocument {
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
