import { isObject, type Json, type JsonObject } from '../../src/engine/contract/load.js'

const boundary = 'fuzz-boundary'

/** A form with the fields of a contract's example: texts, and files that are written out as `x-file`. */
export function form(fields: JsonObject): { type: string; body: Buffer } {
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((item) => part(name, item as Json))
  )
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)])
  }
}

function part(name: string, value: Json): Buffer {
  const quoted = name.replace(/[\r\n"]/g, (char) => encodeURIComponent(char))
  if (isObject(value) && isObject(value['x-file'])) {
    const { name: file, type, text, base64 } = value['x-file'] as JsonObject
    const bytes = base64 === undefined ? Buffer.from(textOf(text)) : Buffer.from(textOf(base64), 'base64')
    return filePart(quoted, textOf(file), textOf(type), bytes)
  }
  const content = textOf(value)
  return Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted}"\r\n\r\n${content}\r\n`)
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

export function filePart(name: string, file: string, type: string, bytes: Buffer, edge = boundary): Buffer {
  const head = `--${edge}\r\nContent-Disposition: form-data; name="${name}"; filename="${file}"\r\nContent-Type: ${type}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n')])
}

/** A form with one file. */
export function fileForm(name: string, file: string, type: string, bytes: Buffer): { type: string; body: Buffer } {
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([filePart(name, file, type, bytes), Buffer.from(`--${boundary}--\r\n`)])
  }
}
