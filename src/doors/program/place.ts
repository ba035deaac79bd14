import { readFileSync } from 'node:fs'
import { lazily } from '../../contract/lazy.js'
import { shown } from '../../contract/load.js'

/** Where something stands in a JSON or YAML file: `contracts/chat.json:12:5 /operations/searchChats`. */
export function placeOf(file: string, path: string[]): string {
  const { LineCounter, parseDocument, isNode } = lazily('yaml') as typeof import('yaml')
  const lineCounter = new LineCounter()
  // JSON is YAML, and of this parser one learns where a value stands.
  const document = parseDocument(readFileSync(file, 'utf8'), { lineCounter, uniqueKeys: false, merge: true })
  // What is missing stands where it would be: in the last part that is there.
  let depth = path.length
  while (depth > 0 && !isNode(document.getIn(path.slice(0, depth), true))) depth--
  const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)
  const { line, col } = lineCounter.linePos((isNode(node) && node.range?.[0]) || 0)
  return `${shown(file)}:${line}:${col} /${path.join('/')}`
}
