import { seedRows } from '../fixtures/index.js'
import { createContract } from '../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../src/engine/contract/ledger.js'
import { follow, isObject, type Json, type JsonObject, readDocuments } from '../src/engine/contract/load.js'
import type { Operation } from '../src/engine/contract/model.js'
import { addressOf, bodyOf } from './contract/examples.js'
import { type CallOptions, startTestMock, testNow } from './mock.js'

// What a client sees of the set demo, over the documented operations.
const contract = createContract(readDocuments(), defaultChoices(readLedger()))
const rows = seedRows('demo', { seed: 1, scale: 1, now: Date.parse(testNow) })
const mock = await startTestMock({ fixtures: 'demo' })

/** The values that no client can see, and why. */
const unseen = [
  // An attempt that has ended is neither.
  'ConnectorIndexingStatus.last_finished_status: not_started',
  'ConnectorIndexingStatus.last_finished_status: in_progress',
  // The only pair of that source is internal: indexing-status leaves it out, and document sets have no use for it.
  'PairSummary.source: not_applicable',
  'IndexingStatusGroup.source: not_applicable',
  'ConnectorIndexingStatus.source: not_applicable',
  // Seen under another choice of files.deletion-report.
  'deleteFile.has_associations: true'
]

/** Each documented place of a reply, with its expected values. */
const wanted = new Set<string>()
const seen = new Set<string>()

beforeAll(async () => {
  for (const operation of contract.operations.values()) {
    const schema = schemaOf(operation)
    if (schema.type !== 'null') want(schema, operation.id)
  }
  for (const { key, is_active } of rows.users) if (is_active) await readAll(key)
  // Reads show the rows of the set; writes show the rest.
  const shown = new Set([...seen].map(rootOf))
  shown.delete('StatusResponse')
  const written = new Set<string>()
  for (const operation of contract.operations.values()) {
    for (const { path, query, body } of Object.values(operation.examples)) {
      await mock.reset()
      await look(operation, addressOf(operation, path, query), bodyOf(operation, body), written)
    }
  }
  const keyed = operationOf('replacePrivateKey')
  for (const { id, user_id } of rows.credentials) {
    const [{ body } = {}] = Object.values(keyed.examples)
    const as = rows.users.find((it) => it.id === user_id)?.key ?? 'admin'
    await look(keyed, addressOf(keyed, { credential_id: id }), { as, ...bodyOf(keyed, body) }, written)
  }
  for (const it of written) if (!shown.has(rootOf(it))) seen.add(it)
})

/** The schema or operation of a place. */
function rootOf(place: string): string {
  return place.split(/[.[:]/)[0] as string
}

/** Everything that a user can read. */
async function readAll(as: string): Promise<void> {
  const read = (id: string, address: string, body?: object) => look(operationOf(id), address, { as, body }, seen)
  await read('getUserRole', '/api/get-user-role')
  await read('listChatSessions', '/api/chat/get-user-chat-sessions?page_size=100')
  for (const page of [1, 2]) await read('searchChats', `/api/chat/search?page_size=30&page=${page}`)
  for (const { id } of rows.personas) await read('getPersona', `/api/persona/${id}`)
  for (const { id } of rows.credentials) await read('getCredential', `/api/manage/credential/${id}`)
  for (const { id } of rows.connectors) await read('getConnector', `/api/manage/connector/${id}`)
  await read('listCredentials', '/api/manage/admin/credential')
  await read('getIndexingStatus', '/api/manage/admin/connector/indexing-status', { get_all_connectors: true })
  await read('listProjects', '/api/user/projects/')
  for (const { id } of rows.projects) await read('getProjectDetails', `/api/user/projects/${id}/details`)
  for (const { id } of rows.userFiles) await read('getFile', `/api/user/projects/file/${id}`)
}

test('clients can see a value in every documented field, every value of an enumeration, and both of a boolean', () => {
  expect([...wanted].filter((it) => !seen.has(it)).sort()).toEqual([...unseen].sort())
})

async function look(operation: Operation, address: string, options: CallOptions, into: Set<string>): Promise<void> {
  const { status, body } = await mock.call(operation.method, address, options)
  if (status === 200) note(schemaOf(operation), body, operation.id, into)
}

function want(schema: JsonObject, place: string): void {
  each(schema, place, (at, { enum: values, type, ...it }) => {
    if (wanted.has(at)) return false
    wanted.add(at)
    for (const value of (values ?? ([type].flat().includes('boolean') ? [true, false] : [])) as Json[]) {
      if (value !== null) wanted.add(`${at}: ${value}`)
    }
    return it
  })
}

/** Goes through the parts of a schema. */
function each(schema: JsonObject, place: string, visit: (at: string, schema: JsonObject) => unknown): void {
  const { at, target } = found(schema, place)
  if (!visit(at, target)) return
  for (const one of partsOf(target)) each(one, at, visit)
  for (const [name, property] of Object.entries((target.properties ?? {}) as JsonObject))
    each(property as JsonObject, `${at}.${name}`, visit)
  if (isObject(target.items)) each(target.items, `${at}[]`, visit)
}

function note(schema: JsonObject, value: Json, place: string, into: Set<string>): void {
  if (value === null || value === undefined) return
  const { at, target } = found(schema, place)
  into.add(at)
  if (typeof value !== 'object') into.add(`${at}: ${value}`)
  for (const one of partsOf(target)) if (fits(one, value)) note(one, value, at, into)
  if (Array.isArray(value)) for (const item of value) note(target.items as JsonObject, item, `${at}[]`, into)
  else if (isObject(value)) {
    for (const [name, property] of Object.entries((target.properties ?? {}) as JsonObject))
      note(property as JsonObject, value[name] as Json, `${at}.${name}`, into)
  }
}

function partsOf({ anyOf = [], allOf = [] }: JsonObject): JsonObject[] {
  return [...(anyOf as JsonObject[]), ...(allOf as JsonObject[])]
}

/** Whether a value has the fields of one of several schemas. */
function fits(schema: JsonObject, value: Json): boolean {
  const { required = [] } = found(schema, '').target
  return isObject(value) && (required as string[]).every((name) => name in value)
}

/** A schema with a name has it as its place, wherever it is used. */
function found(schema: JsonObject, place: string): { at: string; target: JsonObject } {
  if (typeof schema.$ref !== 'string') return { at: place, target: schema }
  const name = schema.$ref.split('/').at(-1) as string
  const target = follow(contract.documents, schema.$ref) as JsonObject
  // A kind of value is needed in each field, an object only once.
  return found(target, target.properties ? name : place)
}

function schemaOf({ responses }: Operation): JsonObject {
  return (responses[200]?.schema ?? {}) as JsonObject
}

function operationOf(id: string): Operation {
  return contract.operations.get(id) as Operation
}
