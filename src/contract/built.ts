import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Choices, type Documents, type FileTexts, type JsonObject, packageRoot } from './load.js'
import { once } from './once.js'

/** What the build has worked out of the contracts, so that a start need not: the documents under some choices. */
export interface BuiltDocuments {
  /** The digest of the texts that they were made from. */
  texts: string
  /** The choices of the assumptions that change contracts. */
  choices: Choices
  /** The digest of all documents. */
  digest: string
  /** All documents but the control API's, which has a file of its own: few tests need it. */
  documents: Documents
}

export const builtFile = () => join(packageRoot(), 'dist', 'schemas', 'built.json')
export const builtControlFile = () => join(packageRoot(), 'dist', 'schemas', 'control.json')

/** The name of the document that has a file of its own. */
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

/** The documents whose texts are the ones of the build. */
const originals = new WeakSet<Documents>()

/** Whether documents have the texts of the build. Then they are well-formed, too. */
export function isOfBuild(documents: Documents, texts: FileTexts): boolean {
  const built = readBuilt()
  if (!built || built.texts !== digestOfTexts(texts)) return false
  originals.add(documents)
  return true
}

/** The documents under the choices, if the build has made them. */
export function builtDocuments(documents: Documents, choices: Choices): Documents | undefined {
  const built = originals.has(documents) && readBuilt()
  const isMade = built && Object.entries(built.choices).every(([id, choice]) => choices[id] === choice)
  return isMade ? built.documents : undefined
}

/** The documents under some choices, for what no choice changes: the build has them at hand. */
export function anyDocuments(documents: Documents): Documents {
  const built = originals.has(documents) && readBuilt()
  return built ? built.documents : documents
}

/** The digest of documents that the build has made. */
export function builtDigest(documents: Documents): string | undefined {
  const built = readBuilt()
  return built && built.documents === documents ? built.digest : undefined
}

export function digestOfTexts(texts: FileTexts): string {
  const hash = createHash('sha256')
  for (const name in texts) hash.update(`${name}\n${texts[name]}\n`)
  return hash.digest('hex')
}

/** An object whose fields are made when they are first read. */
export function onFirstUse<T>(names: string[], make: (name: string) => T): Record<string, T> {
  const object: Record<string, T> = {}
  for (const name of names) {
    Object.defineProperty(object, name, { enumerable: true, configurable: true, get: once(() => make(name)) })
  }
  return object
}
