import { isObject, type Json, type JsonObject } from '../../../engine/contract/load.js'
import type { Operation, RawInput } from '../../../engine/contract/model.js'
import { inShell } from '../../texts.js'

/** The input of an operation. `undefined` leaves a part out. */
export interface Input {
  path?: JsonObject | undefined
  query?: JsonObject | undefined
  body?: Json | undefined
}

/** A part of a form: a text, or a file in the form of the contract's examples. */
export interface FormPart {
  name: string
  value: string
  file?: { name: string; type: string; bytes: Buffer }
}

export interface Call {
  operation: Operation
  method: string
  /** Path and query. */
  target: string
  /** Without the token. */
  headers: Record<string, string>
  body?: Buffer
  /** The parts of the body if it is a form. */
  parts?: FormPart[]
  /** The input that it was made from. */
  input?: Input
}

/** Puts the token where an operation takes it, if that is not the Authorization header. */
export type Placed = (call: Call, authorization: string | null) => [Call, authorization: string | null]

export const urlEncoded = 'application/x-www-form-urlencoded'
const boundary = 'knowledge-chat-mock-verify-7f1c09'

export function callOf(operation: Operation, input: Input): Call {
  const { path = {}, query = {}, body } = input
  const filled = operation.path.replace(/\{([^{}]*)\}/g, (_, name) => encodeURIComponent(String(path[name])))
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((it): [string, string] => [name, String(it)])
  )
  const target = pairs.length > 0 ? `${filled}?${new URLSearchParams(pairs)}` : filled
  // A document may name other media types.
  const Accept = operation.origin ? 'application/json, */*' : 'application/json'
  const call: Call = { operation, method: operation.method, target, headers: { Accept }, input }
  if (!operation.form) return body === undefined ? call : withBody(call, JSON.stringify(body), operation.jsonType)
  const fields = Object.entries(isObject(body) ? body : {})
  if (operation.formType === urlEncoded) {
    const encoded = new URLSearchParams(fields.flatMap(([name, value]) => pairsOf(name, value)))
    return withBody(call, encoded.toString(), urlEncoded)
  }
  const parts = fields.flatMap(([name, value]) => [value].flat().map((item) => partOf(name, item as Json)))
  return { ...withBody(call, formBytes(parts), `multipart/form-data; boundary=${boundary}`), parts }
}

/** The fields of a URL-encoded form. Those of objects are `address[city]`. */
function pairsOf(name: string, value: Json): [string, string][] {
  if (value === null) return []
  if (Array.isArray(value)) return value.flatMap((it, at) => pairsOf(isObject(it) ? `${name}[${at}]` : name, it))
  if (isObject(value)) return Object.entries(value).flatMap(([inner, it]) => pairsOf(`${name}[${inner}]`, it))
  return [[name, String(value)]]
}

/** The same request with this body and this media type. Null leaves the media type out. */
export function withBody(call: Call, body: string | Buffer, type: string | null = 'application/json'): Call {
  const { 'Content-Type': _before, ...headers } = call.headers
  const { parts: _parts, ...rest } = call
  return { ...rest, headers: type === null ? headers : { ...headers, 'Content-Type': type }, body: Buffer.from(body) }
}

function partOf(name: string, value: Json): FormPart {
  if (!isObject(value) || !isObject(value['x-file'])) return { name, value: String(value) }
  const { name: file, type, text, base64 } = value['x-file'] as Record<string, string>
  const bytes = base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64')
  return { name, value: '', file: { name: file as string, type: type as string, bytes } }
}

function formBytes(parts: FormPart[]): Buffer {
  const chunks = parts.flatMap(({ name, value, file }) => {
    const disposition = `Content-Disposition: form-data; name="${name}"`
    const head = file ? `${disposition}; filename="${file.name}"\r\nContent-Type: ${file.type}` : disposition
    return [Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), file?.bytes ?? Buffer.from(value), Buffer.from('\r\n')]
  })
  return Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)])
}

/**
 * The command that repeats a request. Secrets appear as shell variables: `$TOKEN`, `$USER_TOKEN`, `$HEADER_<NAME>`.
 * `authorization` is the header to show, in which `$` marks a variable, or null for none.
 */
export function curlOf(url: string, call: Call, authorization: string | null, headers: string[]): string {
  const words = ['curl', '-sS', '-i']
  if (call.method === 'HEAD') words.push('-I')
  else if (call.method !== 'GET') words.push('-X', call.method)
  const address = url.replace(/\/$/, '') + call.target
  words.push(/\$(USER_)?TOKEN/.test(address) ? `"${address}"` : shortened(inShell(address)))
  if (authorization !== null) words.push('-H', shown(`Authorization: ${authorization}`))
  for (const [name, value] of Object.entries(call.headers)) {
    if (name !== 'Accept' && name !== 'Content-Type') words.push('-H', shown(`${name}: ${value}`))
  }
  for (const name of headers) {
    words.push('-H', shown(`${name}: $HEADER_${name.toUpperCase().replace(/\W/g, '_')}`))
  }
  for (const { name, value, file } of call.parts ?? []) {
    // Small files are written out as text, because reading one from standard input would hide its bytes.
    const text = file?.bytes.toString('utf8').replaceAll('\\', '\\\\').replaceAll('"', '\\"')
    const part = inShell(file ? `${name}="${text}";filename="${file.name}";type=${file.type}` : `${name}=${value}`)
    words.push('-F', shortened(part))
  }
  if (call.body && !call.parts) {
    words.push('-H', inShell(`Content-Type:${call.headers['Content-Type'] ? ` ${call.headers['Content-Type']}` : ''}`))
    words.push('--data-binary', shortened(inShell(call.body.toString('utf8'))))
  }
  return words.join(' ')
}

/** A quoted word whose long runs of one character are made by printf. */
function shortened(word: string): string {
  const run = (text: string) => `'"$(printf '%${text.length}s' '' | tr ' ' '${text[0]}')"'`
  const quoted = word.startsWith("'") ? word : `'${word}'`
  return /([\w[\]])\1{199}/.test(word) ? quoted.replace(/([\w[\]])\1{199,}/g, run) : word
}

/** Adds double quotes if the text has a variable. */
function shown(text: string): string {
  return text.includes('$') ? `"${text}"` : inShell(text)
}

/** An input as a server reads it: parts of the address are texts, and embedded parameters and forms have fields. */
export function rawOf({ form, input }: Operation, { path = {}, query = {}, body }: Input): RawInput {
  const hasFields = form || input.body?.['x-embedded'] === true
  const fields = isObject(body) ? body : {}
  const texts = (values: JsonObject) => Object.fromEntries(Object.entries(values).map(([k, v]) => [k, String(v)]))
  return { path: texts(path), query: texts(query), body: form ? formOf(input, fields) : hasFields ? fields : body }
}

/** The fields of a form: a repeated part is a list, and a file is bytes. */
function formOf({ body }: Operation['input'], fields: JsonObject): Record<string, unknown> {
  const properties = (body?.properties ?? {}) as Record<string, JsonObject>
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const values = [value]
        .flat()
        .map((item) => (isObject(item) && isObject(item['x-file']) ? { bytes: new Uint8Array() } : item))
      const { type = Array.isArray(value) && 'array' } = properties[name] ?? {}
      return [name, type === 'array' ? values : values[0]]
    })
  )
}
