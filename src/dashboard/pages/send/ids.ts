import type { CollectionInfo } from '../../../engine/contract/types.gen.js'

/** The collection whose ids a parameter or field has, by its name and the path that it is in. */
export function collectionOf(name: string, path: string, collections: readonly CollectionInfo[]): string | undefined {
  const references = collections.flatMap(({ fields }) => fields.filter((it) => it.references !== undefined))
  const target = references.find((field) => field.name === name || field.name === `${name}s`)?.references
  if (target !== undefined) return target
  const base = name === 'id' ? segmentBefore(path) : /^(.+?)(?:_ids?|Ids?)$/.exec(name)?.[1]
  if (base === undefined) return undefined
  const wanted = singular(base)
  return collections.find(({ name }) => singular(name) === wanted || singular(name).endsWith(`_${wanted}`))?.name
}

/** `/api/notes/{id}` is of notes. */
function segmentBefore(path: string): string | undefined {
  return /\/([^/{}]+)\/\{id\}/.exec(path)?.[1]
}

/** `userFiles` as user_file. */
function singular(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
    .replace(/s$/, '')
}

/** The value at the end of a part of a JSON text: its field, its start, and whether it is in quotes. */
function lastValue(text: string): { field: string | undefined; start: number; isQuoted: boolean } {
  /** The fields of the open brackets, innermost last. */
  const fields: { name: string | undefined; isList: boolean }[] = [{ name: undefined, isList: true }]
  const none = { field: undefined as string | undefined, start: text.length, isQuoted: false }
  let [name, last] = ['', none]
  for (const { 0: token, index } of text.matchAll(/"[^"]*"?|[{}[\]:,]|[^\s{}[\]:,"]+/g)) {
    const isQuoted = token.startsWith('"')
    const isClosed = isQuoted && token.length > 1 && token.endsWith('"')
    const inner = fields.at(-1)
    if (token === '{' || token === '[') {
      fields.push(token === '{' ? { name: undefined, isList: false } : { name: inner?.name, isList: true })
    } else if (token === '}' || token === ']') fields.pop()
    else if (inner && token === ':') inner.name = name
    else if (inner && token === ',' && !inner.isList) inner.name = undefined
    if (isClosed) name = token.slice(1, -1)
    const field = fields.at(-1)?.name
    if (isClosed || token === '}' || token === ']') last = none
    else if (isQuoted) last = { field, start: index + 1, isQuoted }
    else last = { field, start: '{[:,'.includes(token) ? text.length : index, isQuoted }
  }
  return /[^\s:,[]\s$/.test(text.slice(-2)) && !last.isQuoted ? none : last
}

/** The name of the field whose value is at the caret of a JSON text. */
export function fieldAt(text: string, caret: number): string | undefined {
  return lastValue(text.slice(0, caret)).field
}

/** A JSON text with the value at the caret replaced by an id, and where the id ends. */
export function withId(text: string, caret: number, id: string): { text: string; end: number } {
  const [before, after] = [text.slice(0, caret), text.slice(caret)]
  const { start, isQuoted } = lastValue(before)
  const rest = after.slice((isQuoted ? /^[^"]*/ : /^[^\s,[\]{}"]*/).exec(after)?.[0].length ?? 0)
  const written = isQuoted || /^\d+$/.test(id) ? id : JSON.stringify(id)
  return { text: text.slice(0, start) + written + rest, end: start + written.length }
}
