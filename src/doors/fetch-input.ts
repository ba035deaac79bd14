import { Blob, File } from 'node:buffer'
import { URLSearchParams } from 'node:url'
import { runInThisContext } from 'node:vm'

type FetchClasses = Pick<typeof globalThis, 'Request' | 'Response' | 'FormData'>
let classes: FetchClasses | undefined

/**
 * Node's own classes. Environments like jsdom replace or remove the global ones. Node loads them on first use, and a mock
 * that listens does not use them.
 */
export function native(): FetchClasses {
  classes ??= runInThisContext('({ Request, Response, FormData })') as FetchClasses
  return classes
}

export type Body = NonNullable<RequestInit['body']>
type Form = Iterable<[string, string | File]>
/** The parts of a request that are read, whatever its class. */
type AnyRequest = Pick<Request, 'url' | 'method' | 'headers' | 'arrayBuffer'> & { signal?: AbortSignal }

/**
 * Converts the arguments of `fetch` to a request of node. Its signal is separate, because node's requests reject
 * signals of other classes.
 */
export async function readInput(
  input: Request | string | URL,
  init: RequestInit = {}
): Promise<{ request: Request; signal: AbortSignal | undefined }> {
  const asked = typeof input === 'object' && 'url' in input ? (input as AnyRequest) : undefined
  let { signal, ...own } = init
  const fields: RequestInit = { ...own, ...(own.body && { body: await readBody(own.body) }) }
  // Deno's server aborts the signal of a request after every answer, and warns if there is a listener.
  const isOfDeno = 'completed' in init
  if (signal === undefined && !isOfDeno) signal = asked?.signal
  return { request: await requestOf(input, asked, fields), signal: signal ?? undefined }
}

async function requestOf(
  input: Request | string | URL,
  asked: AnyRequest | undefined,
  fields: RequestInit
): Promise<Request> {
  const { Request } = native()
  if (!asked || asked instanceof Request) {
    return asked && Object.keys(fields).length === 0 ? asked : new Request(input, fields)
  }
  const { url, method, headers } = asked
  const hasBody = !('body' in fields) && !/^(GET|HEAD)$/i.test(method)
  const body = hasBody ? await asked.arrayBuffer() : undefined
  return new Request(url, { method, headers: [...headers], ...(body?.byteLength && { body }), ...fields })
}

async function readBody(body: Body): Promise<Body> {
  const { FormData } = native()
  if (typeof body !== 'object' || body instanceof FormData || body instanceof Blob) return body
  if (isBlob(body)) return (await fileOf(body)) as Body
  if (!isForm(body)) return body
  // FormData looks alike, but only URLSearchParams has a `sort` method.
  if ('sort' in body) return new URLSearchParams(String(body))
  const form = new FormData()
  for (const [name, value] of body as unknown as Form)
    form.append(name, (typeof value === 'string' ? value : await fileOf(value)) as string)
  return form
}

function isForm(body: object): boolean {
  return typeof (body as FormData).append === 'function' && typeof (body as FormData).getAll === 'function'
}

function isBlob(body: object): body is Blob {
  return typeof (body as Blob).size === 'number' && typeof (body as Blob).slice === 'function'
}

async function fileOf(blob: Blob & { name?: string }): Promise<File> {
  return new File([await bytesOf(blob)], blob.name ?? 'blob', { type: blob.type })
}

/** In jsdom only FileReader can read a blob. */
async function bytesOf(blob: Blob): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof blob.arrayBuffer === 'function') return new Uint8Array(await blob.arrayBuffer())
  const { FileReader } = globalThis as unknown as { FileReader: new () => Reader }
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(new Uint8Array(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsArrayBuffer(blob)
  })
}

interface Reader {
  readonly result: ArrayBuffer
  readonly error: unknown
  onload: () => void
  onerror: () => void
  readAsArrayBuffer(blob: Blob): void
}
