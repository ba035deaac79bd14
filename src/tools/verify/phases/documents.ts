import type { Contract } from '../../../engine/contract/contract.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import { responseOf } from '../../../engine/contract/outcomes.js'
import { barePath } from '../../../engine/contract/text.js'
import type { Exchange } from '../calls/client.js'
import { type Call, callOf } from '../calls/request.js'
import { conformsToDocument } from '../judge.js'
import type { Run } from '../run.js'

/** The first row of each list, by the document's path. */
type FirstRows = Map<string, JsonObject>

/** Calls the user's own operations that only read. Inputs come from the document or the list above, so lists come first. */
export async function documentOperations(run: Run, contract: Contract, operations: Operation[]): Promise<void> {
  const lists: FirstRows = new Map()
  const depth = ({ path }: Operation) => path.split('{').length
  for (const operation of [...operations].sort((a, b) => depth(a) - depth(b))) {
    if (operation.method !== 'GET' && operation.method !== 'HEAD') {
      run.results.leftOut(operation.id, 'requests', 'it may change something: only GET and HEAD of your own are called')
      continue
    }
    const call = documentedCall(contract, operation, lists)
    if (typeof call === 'string') run.results.couldNot(operation.id, 'requests', call)
    else judge(run, contract, await run.send(call), lists)
  }
}

function judge(run: Run, contract: Contract, exchange: Exchange, lists: FirstRows): void {
  const { operation } = exchange.call
  const { status, body } = exchange.reply
  if (!conformsToDocument(run, contract, exchange, { title: 'a request of what the document says' })) return
  if (!responseOf(operation, status)) {
    const why = `it was refused with ${status}, which the document does not mention`
    run.results.couldNot(operation.id, 'its answer', why)
    return
  }
  for (const check of ['not_a_server_error', 'status_code_conformance'] as const) run.results.held(operation.id, check)
  const items = Array.isArray(body) ? body : isObject(body) ? Object.values(body).find(Array.isArray) : undefined
  const row = (items as Json[] | undefined)?.find(isObject)
  const { collection } = operation.mock ?? {}
  if (status < 300 && row) for (const it of [barePath(operation.path), collection]) lists.set(it ?? '', row)
}

/** The request of an operation, or the reason for which there is none. */
function documentedCall(contract: Contract, operation: Operation, lists: FirstRows): Call | string {
  const parts = { path: {} as JsonObject, query: {} as JsonObject, header: {} as JsonObject, cookie: {} as JsonObject }
  for (const place of ['path', 'query', 'header', 'cookie'] as const) {
    // Every request to an API of a document has the headers that it needs.
    if (place === 'header' && contract.api.document) continue
    const { properties, required = [] } = operation.input[place] ?? {}
    for (const name of required as string[]) {
      const schema = (properties as JsonObject | undefined)?.[name]
      const isMade = contract.api.document && place !== 'path'
      const value = isMade ? valueFor(contract, schema) : exampleOf(contract, schema)
      const inList = place === 'path' ? valueInList(operation, name, lists) : undefined
      if (value === undefined && inList === undefined) {
        const list = place === 'path' ? ', and no list of such rows was answered' : ''
        return `the document has no example of its ${place} parameter ${name}${list}`
      }
      parts[place][name] = value ?? (inList as Json)
    }
  }
  const { header, cookie, ...input } = parts
  const headers = Object.entries(header).map(([name, value]) => [name, String(value)])
  const cookies = Object.entries(cookie).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  const call = callOf(operation, input)
  const own = { ...Object.fromEntries(headers), ...(cookies.length > 0 && { Cookie: cookies.join('; ') }) }
  return { ...call, headers: { ...call.headers, ...own } }
}

/** A value of a parameter: its example, or one that its schema allows. */
export function valueFor(contract: Contract, parameter: Json | undefined): Json {
  return exampleOf(contract, parameter) ?? contract.sample(schemaOf(contract.documents, parameter), 1, 0)
}

/** An example of a parameter in the document. */
export function exampleOf(contract: Contract, parameter: Json | undefined): Json | undefined {
  const schema = isObject(parameter) ? { ...schemaOf(contract.documents, parameter), ...parameter } : {}
  const values = [schema.examples, schema.enum].find((it) => Array.isArray(it) && it.length > 0) as Json[] | undefined
  return schema.example ?? values?.[0] ?? schema.const ?? schema.default
}

/** The value of a path parameter, from the first row of the list above it, or of another list of the same rows. */
function valueInList({ path, mock }: Operation, name: string, lists: FirstRows): Json | undefined {
  const others = path.endsWith(`/{${name}}`) ? lists.get(mock?.collection ?? '') : undefined
  const row = lists.get(path.slice(0, path.lastIndexOf(`/{${name}}`))) ?? others ?? {}
  const last = name.split(/[_-]|(?=[A-Z])/).at(-1) as string
  return [name, last.charAt(0).toLowerCase() + last.slice(1), 'id'].map((it) => row[it]).find((it) => it !== undefined)
}
