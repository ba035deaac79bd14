import type { Operation } from './model.js'
import { inMap } from './once.js'

export type Match =
  | { kind: 'operation'; operation: Operation; params: Record<string, string> }
  | { kind: 'method'; allow: string }
  | { kind: 'slash'; path: string }
  | { kind: 'none' }

export type Matcher = (method: string, path: string) => Match

interface Node {
  literal: Map<string, Node>
  /** Segments with a parameter in part, such as `{id}.json`. */
  partial: { literals: string[]; node: Node }[]
  parameter?: Node
  /** The operations whose last parameter may contain slashes. */
  rest?: Node
  operations: Map<string, { operation: Operation; names: string[] }>
}

/** A tree of path segments. A literal segment takes precedence over a parameter. */
export function createMatcher(operations: Operation[]): Matcher {
  const root = node()
  for (const operation of operations) {
    let place = root
    let above = root
    const names: string[] = []
    for (const segment of operation.path.split('/').slice(1)) {
      for (const [, name] of segment.matchAll(parameters)) names.push(name as string)
      above = place
      place = below(place, segment)
    }
    place.operations.set(operation.method, { operation, names })
    if (operation.isRest) {
      above.rest ??= node()
      above.rest.operations.set(operation.method, { operation, names })
    }
  }

  return (method, path) => {
    const values: string[] = []
    const place = find(root, path, 1, values)
    if (!place) {
      const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`
      return find(root, other, 1, []) ? { kind: 'slash', path: other } : { kind: 'none' }
    }
    const hit = place.operations.get(method)
    if (!hit) return { kind: 'method', allow: [...place.operations.keys()].sort().join(', ') }
    const params: Record<string, string> = {}
    hit.names.forEach((name, position) => {
      params[name] = decode(values[position] as string)
    })
    return { kind: 'operation', operation: hit.operation, params }
  }
}

const parameters = /\{([^{}]*)\}/g

function node(): Node {
  return { literal: new Map(), partial: [], operations: new Map() }
}

/** The child node for a segment. It is created if needed. */
function below(place: Node, segment: string): Node {
  if (!segment.includes('{')) {
    return inMap(place.literal, segment, node)
  }
  if (/^\{[^{}]*\}$/.test(segment)) {
    place.parameter ??= node()
    return place.parameter
  }
  const literals = segment.split(parameters).filter((_, at) => at % 2 === 0)
  const child = place.partial.find((it) => it.literals.join('{}') === literals.join('{}'))
  if (child) return child.node
  const newChild = { literals, node: node() }
  place.partial.push(newChild)
  return newChild.node
}

/** The first node with operations for a path. `values` receives the path parameters, still encoded. */
function find(place: Node, path: string, start: number, values: string[]): Node | undefined {
  if (start > path.length) return place.operations.size > 0 ? place : undefined
  const slash = path.indexOf('/', start)
  const end = slash < 0 ? path.length : slash
  const segment = path.slice(start, end)
  const literal = place.literal.get(segment)
  const exactMatch = literal && find(literal, path, end + 1, values)
  if (exactMatch || segment === '') return exactMatch
  const before = values.length
  for (const { literals, node } of place.partial) {
    const parts = partsOf(segment, literals)
    if (!parts) continue
    values.push(...parts)
    const match = find(node, path, end + 1, values)
    if (match) return match
    values.length = before
  }
  if (place.parameter) {
    values.push(segment)
    const last = find(place.parameter, path, end + 1, values)
    if (last) return last
    values.length = before
  }
  if (place.rest) values.push(path.slice(start))
  return place.rest
}

/** The parts between the literals of a segment. The first parts are as long as possible, and none is empty. */
function partsOf(segment: string, literals: readonly string[]): string[] | undefined {
  const first = literals[0] as string
  const last = literals.at(-1) as string
  if (!segment.startsWith(first) || !segment.endsWith(last)) return undefined
  const parts: string[] = []
  let end = segment.length - last.length
  for (const literal of literals.slice(1, -1).reverse()) {
    const at = segment.lastIndexOf(literal, end - literal.length - 1)
    parts.unshift(segment.slice(at + literal.length, end))
    end = at
  }
  return end > first.length ? [segment.slice(first.length, end), ...parts] : undefined
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

/** An operation as it reads a body of this type. A document may describe JSON and a form. */
export function forType(operation: Operation, type = ''): Operation {
  const { withForm } = operation
  return withForm && /^(multipart\/form-data|application\/x-www-form-urlencoded)\s*(;|$)/i.test(type)
    ? withForm
    : operation
}
