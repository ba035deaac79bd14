import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { packed } from '../../engine/contract/lazy.js'
import { isObject, type Json, type JsonObject, shown } from '../../engine/contract/load.js'
import { readUserFile } from '../../engine/contract/message/user-file.js'
import { placeOf } from '../program/edition/place.js'

/** The document that an overlay extends. Throws an Error that names the place if there is no such file. */
export function extendedBy(overlay: string): string {
  const { extends: base } = contentOf(overlay)
  const wrong = (text: string) => new Error(`${placeOf(overlay, ['extends'])}: ${text}`)
  if (typeof base !== 'string' || base === '') throw wrong('an overlay names the document that it changes in extends')
  const isFileUrl = /^file:/i.test(base)
  if (!isFileUrl && /^([a-z][a-z\d+.-]+:|\/\/)/i.test(base))
    throw wrong(`${base} is an address. Save the document first, and name its file`)
  const file = isFileUrl
    ? fileURLToPath(new URL(base, pathToFileURL(resolve(overlay))))
    : resolve(dirname(overlay), base)
  if (!existsSync(file) || !statSync(file).isFile()) throw wrong(`there is no file ${shown(file)}`)
  return file
}

/** A document with the actions of an overlay, and the place in the overlay that a place in the document comes from, if any. */
export interface Overlaid {
  document: JsonObject
  placeOf(path: readonly string[]): string | undefined
}

/**
 * A document with the actions of an overlay (OpenAPI Overlay 1.0), in their order. The document itself stays as it is. `say`
 * receives the targets that match nothing.
 */
export function overlaid(overlay: string, document: JsonObject, say: (text: string) => void): Overlaid {
  const { actions = [] } = contentOf(overlay)
  const { exec } = packed('jsonpath') as typeof import('jsonpath-rfc9535')
  const changes: { at: number; target: string; start: string[]; update: Json }[] = []
  const root = { document: JSON.parse(JSON.stringify(document)) as Json }
  if (!Array.isArray(actions)) throw new Error(`${placeOf(overlay, ['actions'])}: actions must be a list`)
  for (const [at, action] of actions.entries()) {
    const place = () => placeOf(overlay, ['actions', String(at), 'target'])
    if (!isObject(action) || typeof action.target !== 'string')
      throw new Error(`${place()}: an action has a target, and update or remove`)
    const { target, update, remove } = action
    const paths: (string | number)[][] = []
    try {
      exec(root.document, target, (_, path) => paths.push(path.map(plainStep)))
    } catch (error) {
      throw new Error(`${place()}: ${target} is not a JSONPath (RFC 9535): ${(error as Error).message}`)
    }
    if (paths.length === 0) say(`${place()}: ${target} matches nothing in the document.`)
    // The last items of a list come first, so that removing one does not move the others.
    for (const path of paths.reverse()) {
      const steps = ['document', ...path]
      const key = steps.pop() as string
      const parent = steps.reduce<Json>((it, step) => (it as JsonObject)[step] as Json, root) as JsonObject
      if (remove !== true) {
        changes.push({ at, target, start: path.map(String), update: update ?? {} })
        if (update !== undefined) parent[key] = updated(parent[key] as Json, update)
      } else if (Array.isArray(parent)) parent.splice(Number(key), 1)
      else delete parent[key]
    }
  }
  return {
    document: root.document as JsonObject,
    placeOf(path) {
      const change = changes.findLast(({ start, update }) => {
        const [next] = path.slice(start.length)
        const isBelow = start.every((step, at) => step === path[at])
        return isBelow && (next === undefined || (isObject(update) && Object.hasOwn(update, next)))
      })
      if (!change) return undefined
      const place = ['actions', String(change.at), 'update', ...path.slice(change.start.length)]
      return `${placeOf(overlay, place)} (${change.target})`
    }
  }
}

/** A name in a path of the JSONPath library, which writes it with escapes. */
function plainStep(step: string | number): string | number {
  if (typeof step === 'number') return step
  return JSON.parse(`"${step.replaceAll("\\'", "'").replaceAll('"', '\\"')}"`)
}

function contentOf(overlay: string): JsonObject {
  const content = readUserFile(overlay)
  if (isObject(content) && /^1\.\d/.test(String(content.overlay))) return content
  throw new Error(`${placeOf(overlay, ['overlay'])}: give an OpenAPI Overlay of version 1.0: { overlay: 1.0.0, … }`)
}

/** A list gets the update as its last item. An object gets its fields; a list in it gets the items of the update's. */
function updated(target: Json, update: Json): Json {
  return Array.isArray(target) ? [...target, update] : merged(target, update)
}

function merged(target: Json | undefined, update: Json): Json {
  if (Array.isArray(target) && Array.isArray(update)) return [...target, ...update]
  if (!isObject(target) || !isObject(update)) return update
  const fields = Object.entries(update).map(([name, it]) => [name, merged(target[name], it)])
  return { ...target, ...Object.fromEntries(fields) }
}
