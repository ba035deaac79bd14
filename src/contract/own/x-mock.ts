import { isObject, type Json, type JsonObject } from '../load.js'
import type { Mistake } from '../schemas/mistake.js'

/** What `x-mock` says of an operation: the rows that answer it. */
export interface XMock {
  collection?: string
  view?: string
  replace?: boolean
}

/** Reads `x-mock`. Adds mistakes if it is wrong. */
export function mockOf(operation: JsonObject, path: string[], mistakes: Mistake[]): XMock {
  const mock = operation['x-mock'] ?? {}
  const wrong = (text: string): XMock => {
    mistakes.push({ path: [...path, 'x-mock'], text })
    return {}
  }
  if (!isObject(mock)) return wrong('x-mock must be an object with collection, view or replace')
  const { collection, view, replace, ...others } = mock
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return wrong(`x-mock has only collection, view and replace, not ${unknown}`)
  const isText = (value: Json | undefined) => value === undefined || typeof value === 'string'
  if (!isText(collection) || !isText(view)) return wrong('collection and view must be names')
  if (view !== undefined && collection === undefined) return wrong('view needs a collection')
  if (replace !== undefined && typeof replace !== 'boolean') return wrong('replace must be true or false')
  return mock as XMock
}
