import { readFileSync } from 'node:fs'
import { lazily } from '../../../engine/contract/lazy.js'
import { shown } from '../../../engine/contract/load.js'

/** The position of a value in a JSON or YAML file: `contracts/orders.json:12:5 /operations/listOrders`. */
export function placeOf(file: string, path: string[]): string {
  const { LineCounter, parseDocument, isNode } = lazily('yaml') as typeof import('yaml')
  const lineCounter = new LineCounter()
  // JSON is YAML, and this parser reports positions.
  const document = parseDocument(readFileSync(file, 'utf8'), { lineCounter, uniqueKeys: false, merge: true })
  // A missing value has the position of its nearest existing parent.
  let depth = path.length
  while (depth > 0 && !isNode(document.getIn(path.slice(0, depth), true))) depth--
  const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)
  const { line, col } = lineCounter.linePos((isNode(node) && node.range?.[0]) || 0)
  return `${shown(file)}:${line}:${col} /${path.join('/')}`
}
