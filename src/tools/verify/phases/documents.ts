import type { Contract } from '../../../engine/contract/contract.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import { responseOf } from '../../../engine/contract/outcomes.js'
import { brokenIn } from '../../answer.js'
import type { Exchange } from '../calls/client.js'
import type { Call } from '../calls/request.js'
import { verdict } from '../judge.js'
import type { Run } from '../run.js'

type Place = 'path' | 'query' | 'header' | 'cookie'

/** The first row of each list and the values of its path parameters, by the document's path. */
type FirstRows = Map<string, { row: JsonObject; path: JsonObject }>

/**
 * Calls the user's own operations that change nothing and checks the answers against the document. Inputs come from the
 * document or from the list above a row, so lists come first.
 */
export async function documentOperations(
  run: Run,
  contract: Contract,
  operations: readonly Operation[]
): Promise<void> {
  const lists: FirstRows = new Map()
  const depth = ({ path }: Operation) => path.split('{').length
  for (const operation of [...operations].sort((a, b) => depth(a) - depth(b))) {
    if (operation.method !== 'GET' && operation.method !== 'HEAD') {
      run.results.leftOut(operation.id, 'requests', 'it may change something: only GET and HEAD of your own are called')
      continue
    }
    const call = callOf(contract, operation, lists)
    if (typeof call === 'string') run.results.couldNot(operation.id, 'requests', call)
    else judge(run, contract, await run.send(call.call, 'admin'), call.path, lists)
  }
}

function judge(run: Run, contract: Contract, exchange: Exchange, path: JsonObject, lists: FirstRows): void {
  const { operation } = exchange.call
  const { status, headers, text, body } = exchange.reply
  const broken = brokenIn(contract, operation, { status, type: String(headers['content-type'] ?? ''), text })
  const about = { title: 'a request of what the document says' }
  if (broken) {
    verdict(run, exchange, broken.check, false, `what the document says, but: ${broken.text}`, about)
    return
  }
  if (!responseOf(operation, status)) {
    const why = `it was refused with ${status}, which the document does not mention`
    run.results.couldNot(operation.id, 'its answer', why)
    return
  }
  for (const check of ['not_a_server_error', 'status_code_conformance', 'response_schema_conformance'] as const) {
    verdict(run, exchange, check, true, '', about)
  }
  const items = Array.isArray(body) ? body : isObject(body) ? Object.values(body).find(Array.isArray) : undefined
  const row = (items as Json[] | undefined)?.find(isObject)
  if (status < 300 && row) lists.set(operation.path.replace(/\/$/, ''), { row, path })
}

/** The request of an operation, or the reason for which there is none. */
function callOf(contract: Contract, operation: Operation, lists: FirstRows): { call: Call; path: JsonObject } | string {
  const given: Record<Place, JsonObject> = { path: {}, query: {}, header: {}, cookie: {} }
  for (const place of Object.keys(given) as Place[]) {
    const { properties = {}, required = [] } = (operation.input[place] ?? {}) as {
      properties?: JsonObject
      required?: string[]
    }
    for (const name of required) {
      const value =
        exampleOf(contract, properties[name]) ?? (place === 'path' ? listed(operation, name, lists) : undefined)
      if (value === undefined) {
        const list = place === 'path' ? ', and no list of such rows was answered' : ''
        return `the document has no example of its ${place} parameter ${name}${list}`
      }
      given[place][name] = value
    }
  }
  const filled = operation.path.replace(/\{([^{}]*)\}/g, (_, name) => encodeURIComponent(String(given.path[name])))
  const pairs = Object.entries(given.query).flatMap(([name, value]) =>
    [value].flat().map((it): [string, string] => [name, String(it)])
  )
  const texts = (values: JsonObject) => Object.entries(values).map(([name, value]) => [name, String(value)])
  const cookies = texts(given.cookie).map(([name, value]) => `${name}=${encodeURIComponent(value as string)}`)
  const call: Call = {
    operation,
    method: operation.method,
    target: pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`,
    headers: {
      Accept: 'application/json, */*',
      ...Object.fromEntries(texts(given.header)),
      ...(cookies.length > 0 && { Cookie: cookies.join('; ') })
    }
  }
  return { call, path: given.path }
}

/** An example of a parameter in the document. */
function exampleOf(contract: Contract, given: Json | undefined): Json | undefined {
  const schema = isObject(given) ? { ...schemaOf(contract.documents, given), ...given } : {}
  const values = [schema.examples, schema.enum].find((it) => Array.isArray(it) && it.length > 0) as Json[] | undefined
  return schema.example ?? values?.[0] ?? schema.const ?? schema.default
}

/** The value of a path parameter, from the first row of the list above it or from the path of that list. */
function listed({ path }: Operation, name: string, lists: FirstRows): Json | undefined {
  const above = lists.get(path.slice(0, path.lastIndexOf(`/{${name}}`)))
  if (above)
    return [name, name.replace(/^.*_(?=[^_]+$)/, ''), 'id'].map((it) => above.row[it]).find((it) => it !== undefined)
  return undefined
}
