import type { Operation } from './contract.js'

/** The operation of a method and a path. */
export type Match =
  | { kind: 'operation'; operation: Operation; params: Record<string, string> }
  | { kind: 'method'; allow: string }
  | { kind: 'slash'; path: string }
  | { kind: 'none' }

export type Matcher = (method: string, path: string) => Match

interface Node {
  literal: Map<string, Node>
  parameter?: Node
  operations: Map<string, { operation: Operation; names: string[] }>
}

/** A tree of path segments: a literal segment wins over a parameter. */
export function createMatcher(operations: Operation[]): Matcher {
  const root = node()
  for (const operation of operations) {
    let place = root
    const names: string[] = []
    for (const segment of operation.path.split('/').slice(1)) {
      if (segment.startsWith('{')) {
        names.push(segment.slice(1, -1))
        place.parameter ??= node()
        place = place.parameter
      } else {
        const next = place.literal.get(segment) ?? node()
        place.literal.set(segment, next)
        place = next
      }
    }
    place.operations.set(operation.method, { operation, names })
  }

  return (method, path) => {
    const values: string[] = []
    const place = find(root, path, values)
    if (!place) {
      const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`
      return find(root, other, []) ? { kind: 'slash', path: other } : { kind: 'none' }
    }
    const hit = place.operations.get(method)
    if (!hit) return { kind: 'method', allow: allowOf(place) }
    const params: Record<string, string> = {}
    hit.names.forEach((name, position) => {
      params[name] = decode(values[position] as string)
    })
    return { kind: 'operation', operation: hit.operation, params }
  }
}

function node(): Node {
  return { literal: new Map(), operations: new Map() }
}

/** The node of a path that has operations; `values` receives its parameters, still encoded. */
function find(root: Node, path: string, values: string[]): Node | undefined {
  let place: Node | undefined = root
  let start = 1
  while (place && start <= path.length) {
    let end = path.indexOf('/', start)
    if (end < 0) end = path.length
    const segment = path.slice(start, end)
    const literal: Node | undefined = place.literal.get(segment)
    if (literal) place = literal
    else if (place.parameter && segment !== '') {
      values.push(segment)
      place = place.parameter
    } else return undefined
    start = end + 1
  }
  return place && place.operations.size > 0 ? place : undefined
}

function allowOf(place: Node): string {
  return [...place.operations.keys()].sort().join(', ')
}

/** Percent-decodes what it can: a stray % stays, and bytes that are not UTF-8 become U+FFFD. */
export function decode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    return Buffer.from(bytes, 'latin1').toString('utf8')
  }
}
