import { setImmediate } from 'node:timers/promises'

/** The approximate number of characters in a piece. */
const size = 256 * 1024

/** The depth to which lists and objects are split: a state contains collections, which contain rows. */
const depth = 3

/** The output of JSON.stringify in pieces, because serializing megabytes at once would block other requests. */
export function* jsonPieces(value: unknown): Generator<string, void> {
  let text = ''
  for (const part of partsOf(value, depth)) {
    text += part
    if (text.length < size) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

function* partsOf(value: unknown, levels: number): Generator<string, void> {
  if (levels === 0 || !isPlain(value)) {
    yield JSON.stringify(value) ?? 'null'
  } else if (Array.isArray(value)) {
    let before = '['
    for (const item of value) {
      yield before
      yield* partsOf(item, levels - 1)
      before = ','
    }
    yield before === '[' ? '[]' : ']'
  } else {
    let before = '{'
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined) continue
      yield `${before}${JSON.stringify(name)}:`
      yield* partsOf(item, levels - 1)
      before = ','
    }
    yield before === '{' ? '{}' : '}'
  }
}

/** A list or plain object, which is serialized only by its items or fields. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false
  return Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value))
}

let last: Promise<void> = Promise.resolve()

/** Resolves in a turn of the event loop that nobody else gets from here, so that requests are answered in between. */
export function inTurn(): Promise<void> {
  last = last.then(() => setImmediate())
  return last
}
