import { isTooDeep, tooDeep } from '../json.js'
import { lazily } from '../lazy.js'
import { readJson, shown, textOf } from '../load.js'

/** A function of a user's file that does something wrong while the mock runs. `cause` is what it threw. */
export class WrongDefinition extends Error {
  constructor(message: string, cause?: unknown) {
    super(message)
    const [, ...places] = cause instanceof Error ? (cause.stack ?? '').split(/\n(?= +at )/) : []
    if (places.length > 0) this.stack = [`Error: ${message}`, ...places].join('\n')
  }
}

/** Reads a JSON or YAML file that a user wrote. Throws an Error that names the file, and the line and column of a mistake. */
export function readUserFile(file: string, text = textOf(file)): unknown {
  if (/^\s*[{[]/.test(text)) return readJson(file, text)
  const { parseDocument, LineCounter } = lazily('yaml') as typeof import('yaml')
  const lineCounter = new LineCounter()
  try {
    const document = parseDocument(text, { lineCounter, merge: true, prettyErrors: false })
    const [error] = document.errors
    if (!error) return plainCopy(document.toJS(), `${shown(file)}: an alias refers to what it is in`, shown(file))
    // The parser reports its own overflow as a mistake.
    if (error.code === 'RESOURCE_EXHAUSTION' || /call stack/i.test(error.message)) throw new RangeError()
    const { line, col } = lineCounter.linePos(error.pos[0])
    const reason = error.code === 'MULTIPLE_DOCS' ? 'the file has several documents: give one' : error.message
    throw new Error(`${shown(file)}:${line}:${col}: ${reason}`)
  } catch (thrown) {
    if (thrown instanceof RangeError) throw new Error(`${shown(file)} ${tooDeep}`)
    const { message } = thrown as Error
    throw new Error(message.startsWith(shown(file)) ? message : `${shown(file)}: ${message}`)
  }
}

/** A value as JSON. Throws an Error: `circular` if it contains itself, and another if it nests too deeply or has a BigInt. */
export function plainCopy(value: unknown, circular: string, name: string): unknown {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    if (error instanceof RangeError) throw new Error(`${name} ${tooDeep}`)
    throw new Error(
      /BigInt/.test((error as Error).message) ? `${name} has a BigInt, which JSON does not have` : circular
    )
  }
  if (text === undefined) return undefined
  if (isTooDeep(text)) throw new Error(`${name} ${tooDeep}`)
  return JSON.parse(text)
}
