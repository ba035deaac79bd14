import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isTooDeep, parseJson, tooDeep } from './json.js'
import { once } from './once.js'

export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

/** The choice in force of every assumption, by ledger id. */
export type Choices = Readonly<Record<string, string>>

/** The files of contracts/, by name. */
export type Documents = Record<string, JsonObject>

/** The folder with package.json: the same from source, from the build and from an installed package. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}

export const contractsFolder = join(packageRoot(), 'contracts')

export function packageVersion(): string {
  return readJson(join(packageRoot(), 'package.json')).version as string
}

/** Throws an Error that names the file, and the line and column of the error. */
export function readJson(path: string, text = textOf(path)): JsonObject {
  return parsed(path, text)
}

/** Reads a text without a byte order mark, which some editors write. */
export function textOf(path: string): string {
  return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
}

function parsed(path: string, text: string): JsonObject {
  // Parsing would succeed, but later code that walks the value would not.
  if (isTooDeep(text)) throw new Error(`${shown(path)} ${tooDeep}`)
  const read = parseJson(text)
  if ('value' in read) return read.value as JsonObject
  const lines = [...text].slice(0, read.offset).join('').split('\n')
  throw new Error(`${shown(path)}:${lines.length}:${[...(lines.at(-1) as string)].length + 1}: ${read.error}`)
}

/** A path as a user would type it in this folder. */
export function shown(path: string): string {
  const near = relative(process.cwd(), path)
  return near.startsWith('..') ? path : near || '.'
}

const lastFiles = new Map<string, { text: string; value: JsonObject }>()
const lastDocuments = new Map<string, { texts: FileTexts; documents: Documents }>()

export type FileTexts = Readonly<Record<string, string>>

/** Returns the same object as long as the file does not change, so that all mocks of a process share it. */
export function readShared(path: string): JsonObject {
  return sharedOf(path, textOf(path))
}

function sharedOf(path: string, text: string): JsonObject {
  const last = lastFiles.get(path)
  if (last?.text === text) return last.value
  const value = parsed(path, text)
  lastFiles.set(path, { text, value })
  return value
}

/**
 * Reads every contract file. The ledger and the schema of the format are not contracts. Returns the same object as long as no
 * file changes. Usually the build's precomputed documents are enough, so the package's contracts are parsed on first use.
 */
export function readDocuments(folder: string = contractsFolder): Documents {
  const texts = readTexts(folder)
  const last = lastDocuments.get(folder)
  if (last && isSame(last.texts, texts)) return last.documents
  const documents = onFirstUse(Object.keys(texts), (name) => sharedOf(join(folder, name), texts[name] as string))
  if (!isOfBuild(documents, texts)) Object.values(documents)
  lastDocuments.set(folder, { texts, documents })
  return documents
}

export function readTexts(folder: string = contractsFolder): FileTexts {
  const names = readdirSync(folder).filter((name) => /^[^.].*\.json$/.test(name) && !besides.has(name))
  return Object.fromEntries(names.sort().map((name) => [name, textOf(join(folder, name))]))
}

const besides = new Set(['assumptions.json', 'contract.schema.json'])

function isSame(some: FileTexts, others: FileTexts): boolean {
  const names = Object.keys(some)
  return names.length === Object.keys(others).length && names.every((name) => some[name] === others[name])
}

/** The SHA-256 of contracts, in hexadecimal. */
export function digestOf(documents: Documents): string {
  return createHash('sha256').update(JSON.stringify(documents)).digest('hex')
}

/** JSON merge patch, RFC 7386: null removes. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  // A Map, because `__proto__` as a key of an object would set its prototype.
  const result = new Map(Object.entries(isObject(target) ? target : {}))
  for (const [key, item] of Object.entries(patch)) {
    if (item === null) result.delete(key)
    else result.set(key, mergePatch(result.get(key), item))
  }
  return Object.fromEntries(result)
}

/** The target of a reference such as `chat.json#/$defs/X`. */
export function follow(documents: Documents, reference: string): Json {
  const [file, pointer = ''] = reference.split('#')
  let value: Json | undefined = documents[file as string]
  for (const part of decoded(pointer).split('/').slice(1)) {
    const name = part.includes('~') ? part.replaceAll('~1', '/').replaceAll('~0', '~') : part
    value = (value as JsonObject | undefined)?.[name]
  }
  if (value === undefined) throw new Error(`${reference} cannot be resolved`)
  return value
}

/** Pointers in references may be percent-encoded. */
export function decoded(pointer: string): string {
  try {
    return pointer.includes('%') ? decodeURIComponent(pointer) : pointer
  } catch {
    return pointer
  }
}

export function schemaOf(documents: Documents, schema: Json | undefined): JsonObject {
  let target = schema
  while (isObject(target) && typeof target.$ref === 'string') target = follow(documents, target.$ref)
  return isObject(target) ? target : {}
}

/** The same, also where it is described around the only part of an `allOf`. */
export function wholeOf(documents: Documents, schema: Json | undefined): JsonObject {
  const whole = schemaOf(documents, schema)
  const { allOf, ...own } = whole
  return Array.isArray(allOf) && allOf.length === 1 ? { ...wholeOf(documents, allOf[0]), ...own } : whole
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What the build has precomputed from the contracts for a faster start: the documents under some choices. */
export interface BuiltDocuments {
  /** The digest of their source texts. */
  texts: string
  /** The choices of the assumptions that change contracts. */
  choices: Choices
  /** All documents except the control API's. That one is in a separate file, because few tests need it. */
  documents: Documents
}

export const builtFile = () => join(packageRoot(), 'dist', 'schemas', 'built.json')
export const builtControlFile = () => join(packageRoot(), 'dist', 'schemas', 'control.json')

/** The document in a separate file. */
export const controlDocument = 'control.json'

/** False if there was no build, as in browsers. */
const readBuilt = once(() => {
  if (!existsSync(builtFile())) return false
  const built = JSON.parse(readFileSync(builtFile(), 'utf8')) as BuiltDocuments
  const documents = onFirstUse([...Object.keys(built.documents), controlDocument].sort(), (name) =>
    name === controlDocument
      ? (JSON.parse(readFileSync(builtControlFile(), 'utf8')) as JsonObject)
      : (built.documents[name] as JsonObject)
  )
  return { ...built, documents }
})

/** The documents with the same texts as in the build, each with what it takes of the build's. */
const originals = new WeakMap<Documents, (built: Documents) => Documents>()

/** Whether documents have the texts of the build. Then they are well-formed, too. */
function isOfBuild(documents: Documents, texts: FileTexts): boolean {
  const built = readBuilt()
  if (!built || built.texts !== digestOfTexts(texts)) return false
  originals.set(documents, (built) => built)
  return true
}

/** What an API without a chat calls a choice of the build. */
const otherNames: Choices = { never: 'chat-only' }

/** The documents under the choices, if the build has precomputed them. */
export function builtDocuments(documents: Documents, choices: Choices): Documents | undefined {
  const built = originals.has(documents) && readBuilt()
  const isBuilt = (name: string, choice: string) => (otherNames[name] ?? name) === choice
  const isMade = built && Object.entries(built.choices).every(([id, it]) => isBuilt(choices[id] ?? it, it))
  return isMade ? originals.get(documents)?.(built.documents) : undefined
}

/** The build's precomputed documents under some choices, for parts that no choice changes. */
export function anyDocuments(documents: Documents): Documents {
  const built = originals.has(documents) && readBuilt()
  return (built && originals.get(documents)?.(built.documents)) || documents
}

/** The documents whose schemas the build has compiled, and whether these are them. */
export function compiledDocuments(documents: Documents): { compiled: Documents; isSame: boolean } | undefined {
  const built = readBuilt()
  const isSame = built && (built.documents === documents || shared.get(built.documents) === documents)
  return built ? { compiled: built.documents, isSame } : undefined
}

/** The documents that any API has, by those of the API that they come with. */
const shared = new WeakMap<Documents, Documents>()

/** The documents without the operations of an API: what all share, and the control API. */
export function sharedDocuments(documents: Documents): Documents {
  const subset =
    shared.get(documents) ?? onFirstUse(['common.json', controlDocument], (name) => documents[name] as JsonObject)
  shared.set(documents, subset)
  if (originals.has(documents)) originals.set(subset, sharedDocuments)
  return subset
}

export function digestOfTexts(texts: FileTexts): string {
  const hash = createHash('sha256')
  for (const name in texts) hash.update(`${name}\n${texts[name]}\n`)
  return hash.digest('hex')
}

/** An object whose fields are created when they are first read. */
export function onFirstUse<T>(names: string[], make: (name: string) => T): Record<string, T> {
  const object: Record<string, T> = {}
  for (const name of names) {
    Object.defineProperty(object, name, { enumerable: true, configurable: true, get: once(() => make(name)) })
  }
  return object
}
