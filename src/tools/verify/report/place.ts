import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import type { Pair, YAMLMap } from 'yaml'
import { createContract } from '../../../engine/contract/contract.js'
import { lazily } from '../../../engine/contract/lazy.js'
import { defaultChoices, readLedger } from '../../../engine/contract/ledger.js'
import { readDocuments } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import type { Finding } from '../results.js'

/** The line of an operation, from 1. Undefined if the description does not have it. */
type LineOf = (operation: Operation) => number | undefined

/** Reads an OpenAPI document in JSON or YAML, or a text that names operations. Throws an Error if it cannot be used. */
function readDescription(file: string): LineOf {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`description is "${file}", which cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
  return /\.(json|ya?ml)$/i.test(file) ? inOpenApi(file, text) : inText(text)
}

const yaml = () => lazily('yaml') as typeof import('yaml')

function inOpenApi(file: string, text: string): LineOf {
  const { isMap, LineCounter, parseDocument } = yaml()
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false })
  const [error] = document.errors
  if (error) throw new Error(`description is "${file}", which cannot be read: ${error.message.split('\n')[0]}`)
  const paths = document.get('paths')
  if (!isMap(paths)) throw new Error(`description is "${file}", which has no paths: give an OpenAPI document.`)
  const rows = entriesOf(paths).flatMap(([path, value]) =>
    isMap(value)
      ? entriesOf(value).map(([method, row, start]) => ({
          line: lines.linePos(start).line,
          request: requestOf(method, path),
          id: isMap(row) ? row.get('operationId') : undefined
        }))
      : []
  )
  return ({ id, method, path }) => {
    const requests = [requestOf(method, path), requestOf(method, path.replace(/^\/api(?=\/)/, ''))]
    return (rows.find((row) => row.id === id) ?? rows.find((row) => requests.includes(row.request)))?.line
  }
}

/** The keys and values of a map, with the position of each key. */
function entriesOf(map: YAMLMap): [string, unknown, number][] {
  const { isScalar } = yaml()
  return (map.items as Pair[]).flatMap(({ key, value }) =>
    isScalar(key) ? [[String(key.value), value, key.range?.[0] ?? 0]] : []
  )
}

/** Parameters may have other names, and a trailing slash makes no difference. */
function requestOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replace(/\{[^{}]*\}/g, '{}').replace(/(?<=.)\/$/, '')}`
}

function inText(text: string): LineOf {
  const lines = text.split('\n').map((line) => line.replace(/\{[^{}]*\}/g, '{}'))
  return ({ id, method, path }) => {
    const isId = new RegExp(`\\b${id}\\b`)
    const request = requestOf(method, path)
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(' ', '[\\s`*|]+')
    const isRequest = new RegExp(`\\b${request}/?(?![\\w/{-])`)
    const at = [isId, isRequest].map((is) => lines.findIndex((line) => is.test(line)))
    const position = at.find((index) => index >= 0)
    return position === undefined ? undefined : position + 1
  }
}

/** `PATCH /api/things/{id}`, and the line in the file of the description, whose path is relative to the repository. */
export type PlaceOf = (operation: string) => { request: string; file?: string; line?: number }

/** Finds operations in the user's description. `root`: the folder of the repository. Throws if it cannot be used. */
export function createPlaces(
  description?: string,
  root = process.cwd(),
  operations: ReadonlyMap<string, Operation> = createContract(readDocuments(), defaultChoices(readLedger())).operations
): PlaceOf {
  const lineOf = description === undefined ? undefined : readDescription(description)
  const file = description && relative(root, resolve(description)).split(sep).join('/')
  return (id) => {
    const operation = operations.get(id)
    if (!operation) return { request: id }
    const request = `${operation.method} ${operation.path}`
    const line = lineOf?.(operation)
    return line === undefined || file === undefined ? { request } : { request, file, line }
  }
}

/** Identifies a finding across runs by the request, not by the reply. */
export function fingerprint({ operation, check, title }: Finding): string {
  return createHash('sha256').update(`${operation}\n${check}\n${title}`).digest('hex').slice(0, 32)
}
