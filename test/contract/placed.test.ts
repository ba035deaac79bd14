import { createContract } from '../../src/engine/contract/contract.js'
import { choose, type LedgerEntry } from '../../src/engine/contract/ledger.js'
import { isObject, type Json, type JsonObject } from '../../src/engine/contract/load.js'
import type { Operation } from '../../src/engine/contract/model.js'
import { choicesOf, documents, ledger } from '../assumptions/choices.js'
import { documentUnder, operationsOf } from './document.js'

const document = documentUnder('documented')
const table = document['x-assumptions'] as Record<
  string,
  { choice: string; choices: JsonObject; operations: string[] | 'all' }
>

/** Entries that concern every operation, or the server as a whole. */
const global = new Set(Object.keys(table).filter((id) => table[id]?.operations === 'all'))

test('the OpenAPI document has the ledger: every entry with its choices, the current one, and the operations that it concerns', () => {
  expect(Object.keys(table)).toEqual(ledger.map(({ id }) => id))
  for (const entry of ledger) {
    expect(table[entry.id]).toMatchObject({ question: entry.question, choice: entry.default, choices: entry.choices })
  }
  const observed = documentUnder('observed')['x-assumptions'] as typeof table
  for (const entry of ledger) expect([entry.id, observed[entry.id]?.choice]).toEqual([entry.id, entry.observed])
})

test('the OpenAPI document has the ledger: only entries about requests, errors, access and the server as a whole are global', () => {
  const areas = new Set([...global].map((id) => id.split('.')[0]))
  expect([...areas].sort()).toEqual(['auth', 'errors', 'events', 'limits', 'requests', 'versioning'])
})

test.each(operationsOf(document))(
  'the OpenAPI document has the ledger: $operationId names its assumptions, and describes them in words',
  (operation) => {
    const named = operation['x-assumed'] ?? []
    for (const id of named) {
      expect(table[id]?.operations).toContain(operation.operationId)
      expect(operation.description).toContain(`- \`${id}\`: `)
    }
    // An assumption of a parameter, a property or a response is also one of the operation or the whole document.
    const deeper = [
      ...marksIn(operation.responses),
      ...marksIn(operation.parameters),
      ...marksIn(operation.requestBody)
    ]
    expect(
      deeper.filter((id) => !named.includes(id) && !global.has(id) && !isRefused(operation.responses, id))
    ).toEqual([])
  }
)

test.each(choicesOf(ledger.find(({ id }) => id === 'auth.roles') as LedgerEntry))(
  'the OpenAPI document has the ledger: a 403 for the role is documented where the choice %s of auth.roles refuses a role',
  (choice) => {
    const { operations, guard, access } = createContract(
      documents,
      choose(ledger, 'documented', [['auth.roles', choice]])
    )
    expect(guard.by).toBe(choice)
    for (const operation of operationsOf(documentUnder('documented', [['auth.roles', choice]]))) {
      const way = (operations.get(operation.operationId) as Operation).access[choice] ?? 'anyone'
      const isDocumented = JSON.stringify(operation.responses[403] ?? {}).includes('"forbidden"')
      expect([operation.operationId, isDocumented]).toEqual([operation.operationId, access[way]?.roles !== null])
    }
  }
)

test.each([
  ['updatePersona', ['requests.client-fields', 'requests.required', 'requests.null', 'requests.coercion']],
  ['replacePrivateKey', ['requests.required', 'requests.repeated']]
])('the OpenAPI document has the ledger: the body of %s says how it is read', (id, ids) => {
  const body = operationsOf(document).find(({ operationId }) => operationId === id)?.requestBody
  expect((body as unknown as JsonObject)['x-assumed']).toEqual(
    expect.arrayContaining([...ids, 'requests.unknown-fields'])
  )
})

test('the OpenAPI document has the ledger: a parameter with an assumed name is marked', () => {
  const marked = operationsOf(document).flatMap(({ operationId, parameters = [] }) =>
    parameters.flatMap((it) => (it['x-assumed'] ? `${operationId} ${it.name} ${it['x-assumed']}` : []))
  )
  expect(marked).toEqual(
    expect.arrayContaining([
      'listChatSessions before chat.list-query',
      'searchChats page chat.search-query',
      'listSimilarCredentials get_editable credential.editable-query'
    ])
  )
})

function isRefused(responses: Record<string, JsonObject>, id: string): boolean {
  return Object.entries(responses).some(([status, it]) => Number(status) >= 400 && marksIn(it).has(id))
}

function marksIn(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) marksIn(item, found)
  else if (isObject(value)) {
    for (const id of (value['x-assumed'] ?? []) as string[]) found.add(id)
    for (const item of Object.values(value as Record<string, Json>)) marksIn(item, found)
  }
  return found
}
