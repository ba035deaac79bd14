import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, extname, relative, resolve, sep } from 'node:path'
import { decoded, follow, isObject, type Json, type JsonObject, textOf } from '../../engine/contract/load.js'
import { readUserFile } from '../../engine/contract/message/user-file.js'
import { freeName } from '../../engine/contract/openapi/document.js'
import { hasNames, hasValues } from '../../engine/contract/schemas/schemas.js'
import { placeOf } from '../program/edition/place.js'

/** A document with the files that it refers to, as one document. */
export interface JoinedDocument {
  document: JsonObject
  /** The origin of each schema that came from another file, by its new name. */
  origins: ReadonlyMap<string, { file: string; path: string[] }>
}

/** The most references to references. */
const longest = 100

/** A reference that does not begin with `#`. Most documents have none, and are not copied then. */
const outside = /\$ref['"]?\s*:\s*['"]?(?!['"#\s])/

/** Whether a field is for other tools, and not the name of a header or of a component. */
const isExtension = (key: string, path: readonly string[]) =>
  /^x-(?!mock)/.test(key) && path.at(-1) !== 'headers' && path.at(-2) !== 'components'

/**
 * Reads a document, joined with the files in its folder that it refers to. Their schemas become components of the document, and
 * other references are replaced by their targets. Nothing is read from the network or from outside the folder. Throws an Error
 * that names the place of a wrong reference. `others` receives the paths of the other files.
 */
export function readJoined(main: string, others = new Set<string>()): JoinedDocument {
  const text = textOf(main)
  const document = readUserFile(main, text) as JsonObject
  if (!outside.test(text)) return { document, origins: new Map() }
  const start = realpathSync(main)
  const folder = dirname(start)
  const files = new Map<string, Json>([[start, document]])
  const waiting: (() => void)[] = []
  const schemaNames = new Map<string, string>()
  const origins = new Map<string, { file: string; path: string[] }>()
  const components = (isObject(document.components) ? document.components : {}) as JsonObject
  const schemas: JsonObject = { ...(isObject(components.schemas) ? components.schemas : {}) }

  const joined = visit(document, start, [], false, false, 0) as JsonObject
  for (let next = waiting.pop(); next; next = waiting.pop()) next()
  const declared = ((joined.components as JsonObject | undefined)?.schemas ?? {}) as JsonObject
  const added = Object.fromEntries([...origins.keys()].map((name) => [name, schemas[name] as Json]))
  const whole = { ...joined, components: { ...(joined.components as object), schemas: { ...declared, ...added } } }
  return { document: whole, origins }

  function visit(value: Json, file: string, path: string[], isNames: boolean, isSchema: boolean, depth: number): Json {
    const inside = (item: Json, key: string | number, names = false, schema = isSchema) =>
      visit(item, file, [...path, String(key)], names, schema, depth)
    if (Array.isArray(value)) return value.map((item, at) => inside(item, at))
    if (!isObject(value)) return value
    const { $ref, ...rest } = value
    const isFar = typeof $ref === 'string' && !isNames && (file !== start || !$ref.startsWith('#'))
    if (isFar) return { ...rest, ...referred($ref as string, file, [...path, '$ref'], isSchema, depth) }
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        if (!isNames && (hasValues(key) || isExtension(key, path))) return [key, item]
        const names = !isNames && hasNames(key)
        return [key, inside(item, key, names, isSchema || (!isNames && (key === 'schema' || key === 'schemas')))]
      })
    )
  }

  function referred(reference: string, from: string, path: string[], isSchema: boolean, depth: number): JsonObject {
    const wrong = (text: string) => new Error(`${placeOf(from, path)}: ${reference} ${text}`)
    if (depth > longest) throw wrong('is in a circle of references')
    const [name = '', pointer = ''] = reference.split('#')
    if (/^([a-z][a-z\d+.-]*:|[\\/])/i.test(name))
      throw wrong('is not a file next to the document: give its relative path')
    const fullPath = name === '' ? from : resolve(dirname(from), decoded(name))
    if (!existsSync(fullPath) || !statSync(fullPath).isFile()) throw wrong('cannot be read: there is no such file')
    const file = realpathSync(fullPath)
    if (file !== folder && !file.startsWith(folder + sep))
      throw wrong(`is outside of the folder of the document, ${folder}`)
    if (file === start) return { $ref: `#${pointer}` }
    others.add(file)
    if (!files.has(file)) files.set(file, readUserFile(file) as Json)
    let target: Json
    try {
      target = follow({ '': files.get(file) as JsonObject }, `#${pointer}`)
    } catch {
      throw wrong(`cannot be resolved: ${relative(folder, file)} has no ${pointer}`)
    }
    const place = pointer.split('/').slice(1)
    if (!isSchema) return visit(target, file, place, false, false, depth + 1) as JsonObject
    const key = `${file}#${pointer}`
    const schemaName = schemaNames.get(key)
    if (schemaName !== undefined) return { $ref: `#/components/schemas/${schemaName}` }
    const base = (place.at(-1) ?? basename(file, extname(file))).replace(/[^A-Za-z0-9._-]/g, '_')
    const has = (it: string) => Object.hasOwn(schemas, it)
    const free = freeName({ has }, (count) => (count === 1 ? base : `${base}${count}`))
    schemaNames.set(key, free)
    origins.set(free, { file, path: place })
    schemas[free] = true
    waiting.push(() => {
      schemas[free] = visit(target, file, place, false, true, 0)
    })
    return { $ref: `#/components/schemas/${free}` }
  }
}
