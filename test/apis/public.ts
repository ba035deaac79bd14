import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createMock } from '../../src/doors/program/mock.js'
import { readApi } from '../../src/doors/with/api.js'
import { type Contract, createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices } from '../../src/engine/contract/ledger.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../../src/engine/contract/load.js'
import type { Operation } from '../../src/engine/contract/model.js'
import { isRowPath } from '../../src/engine/contract/text.js'
import { brokenIn } from '../../src/tools/answer.js'
import { callOf } from '../../src/tools/verify/calls/request.js'
import { exampleOf } from '../../src/tools/verify/phases/documents.js'

/** Starts each OpenAPI document of a folder, calls every operation once, and checks the answer against the document. */
const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('error: give a folder with OpenAPI documents.')
  process.exit(2)
}
const order = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
let [all, good, served] = [0, 0, 0]
for (const name of readdirSync(folder).sort()) {
  if (!/\.(json|ya?ml)$/.test(name)) continue
  const start = performance.now()
  const api = join(folder, name)
  try {
    const { document, documents, ledger, extensions, api: described } = readApi(api, [], () => {})
    const contract = createContract(documents, defaultChoices([...ledger]), extensions.documents, described)
    const mock = createMock({ api })
    await mock.fetch(new Request('http://mock/__mock/health'))
    const took = Math.round(performance.now() - start)
    const rowsOf = (collection: string) => mock.sandbox('default').rows(collection as never) as unknown as JsonObject[]
    const reasons = new Map<string, string[]>()
    let [valid, successes] = [0, 0]
    const operations = document.operations.toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method))
    for (const operation of operations) {
      const call = requestOf(contract, operation, rowsOf)
      const response = await mock.fetch(
        new Request(`http://mock${call.target}`, {
          method: call.method,
          headers: { ...call.headers, Authorization: 'Bearer admin' },
          ...(call.body && call.method !== 'GET' && call.method !== 'HEAD' && { body: new Uint8Array(call.body) }),
          redirect: 'manual'
        })
      )
      const answer = {
        status: response.status,
        type: response.headers.get('content-type') ?? '',
        text: await response.text()
      }
      const broken = brokenIn(contract, operation, answer)
      if (!broken) valid++
      if (!broken && answer.status < 400) successes++
      const reason = broken?.text ?? (answer.status < 400 ? undefined : `${answer.status} ${answer.text.slice(0, 90)}`)
      if (reason !== undefined) reasons.set(reason, [...(reasons.get(reason) ?? []), operation.id])
    }
    await mock.close()
    ;[all, good, served] = [all + operations.length, good + valid, served + successes]
    console.log(`${name}: ${valid} of ${operations.length} valid, ${successes} with a success, started in ${took} ms`)
    for (const [reason, ids] of reasons) console.log(`  ${ids.slice(0, 3).join(', ')} (${ids.length}): ${reason}`)
  } catch (error) {
    console.log(`${name}: does not start: ${(error as Error).message.slice(0, 200)}`)
  }
}
console.log(`${good} of ${all} operations answer validly, ${served} with a success`)

/** A valid request: keys of rows in the path, and otherwise examples or generated values. */
function requestOf(contract: Contract, operation: Operation, rowsOf: (collection: string) => JsonObject[]) {
  const { input } = operation
  const made = (schema: Json | undefined) =>
    exampleOf(contract, schema) ?? contract.sample(schemaOf(contract.documents, schema), 1, 0)
  const given = (part: 'query' | 'header') => {
    const { properties = {}, required = [] } = input[part] ?? {}
    return Object.fromEntries((required as string[]).map((name) => [name, made((properties as JsonObject)[name])]))
  }
  const names = [...operation.path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name as string)
  const keys = keysOf(contract, operation, rowsOf)
  const path = Object.fromEntries(
    names.map((name, at) => [
      name,
      keys[at - names.length + keys.length] ?? made((input.path?.properties as JsonObject | undefined)?.[name])
    ])
  )
  const body = input.body && operation.media === undefined ? contract.sample(input.body, 1, 0) : undefined
  const { headers, ...call } = callOf(operation, { path, query: given('query'), body })
  const own = Object.entries(given('header')).map(([name, value]) => [name, String(value)])
  return { ...call, headers: { ...headers, Accept: '*/*', ...Object.fromEntries(own) } }
}

/** The keys of a row and of those that it belongs to, the outermost first. */
function keysOf(contract: Contract, operation: Operation, rowsOf: (collection: string) => JsonObject[]): Json[] {
  const collection = contract.collections.get(operation.mock?.collection ?? '')
  if (!collection) return []
  const isItem = isRowPath(operation.path)
  const keys: Json[] = []
  let row = rowsOf(collection.name).at(-1)
  for (let it: typeof collection | undefined = collection; it && isObject(row); ) {
    if (it !== collection || isItem) keys.unshift(row[it.key ?? 'id'] as Json)
    const { parent }: typeof collection = it
    const owner: Json | undefined = parent && row[parent.field]
    it = parent && contract.collections.get(parent.collection)
    row = it && rowsOf(it.name).find(({ id }) => id === owner)
  }
  return keys
}
