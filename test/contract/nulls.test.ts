import { createContract } from '../../src/engine/contract/contract.js'
import { choose } from '../../src/engine/contract/ledger.js'
import { follow, isObject, type Json, type JsonObject } from '../../src/engine/contract/load.js'
import { documents, ledger } from '../assumptions/choices.js'
import { idsIn, startSandboxes } from '../assumptions/sandboxes.js'
import { addressOf, bodyOf } from './examples.js'

const sandboxFor = await startSandboxes()
const under = (choice: string) => choose(ledger, 'documented', [['responses.null', choice]])
const contract = createContract(documents, under('null'))
const operations = [...contract.operations.values()]

/** The fields that the description itself says may be null (2.4, 2.5). */
const documented = ['name', 'user_id', 'user_email', 'message', 'data'].sort()

test('every nullable field of a reply is marked, except those that the description makes nullable', () => {
  const unmarked = new Set<string>()
  for (const { field, name } of fieldsOfReplies('null')) {
    if (isNullable(field) && !('x-null' in field)) unmarked.add(name)
  }
  expect([...unmarked].sort()).toEqual(documented)
})

test('a marked field is required where it is null, but not where it is left out', () => {
  const required = (choice: string) =>
    new Set(fieldsOfReplies(choice).flatMap(({ field, isRequired }) => ('x-null' in field ? [isRequired] : [])))
  expect([required('omitted'), required('null').has(true)]).toEqual([new Set([false]), true])
})

test.each(
  operations.flatMap((operation) =>
    Object.entries(operation.examples).map(([name, example]) => [operation.id, name, operation, example] as const)
  )
)('%s, example "%s", names responses.null only where the choice makes a difference', async (_, __, operation, it) => {
  const [shown, omitted] = await Promise.all(
    ['null', 'omitted'].map(async (choice) => {
      const address = addressOf(operation, it.path, it.query)
      const { status, text, body, headers } = await sandboxFor(under(choice)).call(
        operation.method,
        address,
        bodyOf(operation, it.body)
      )
      return { status, text, body, isNamed: idsIn(headers.get('x-mock-assumed')).includes('responses.null') }
    })
  )
  const isDifferent = shown?.text !== omitted?.text
  expect([omitted?.status, shown?.isNamed, omitted?.isNamed]).toEqual([shown?.status, isDifferent, isDifferent])
  expect(namesOfNulls(omitted?.body).filter((name) => !documented.includes(name))).toEqual([])
})

test('free-form and nullable fields remain null where other fields are left out', async () => {
  const { call } = sandboxFor(under('omitted'))
  const { body } = await call('POST', '/api/manage/credential', {
    body: { credential_json: { token: null }, admin_public: true, source: 'web' }
  })
  expect(body.credential).toMatchObject({ credential_json: { token: null }, name: null })
})

interface Field {
  name: string
  field: JsonObject
  isRequired: boolean
}

/** Every field of every reply. */
function fieldsOfReplies(choice: string): Field[] {
  const variant = createContract(documents, under(choice))
  const found: Field[] = []
  for (const operation of variant.operations.values()) {
    for (const { schema } of Object.values(operation.responses)) walk(schema ?? true)
  }
  return found

  function walk(value: Json): void {
    const schema = target(value)
    for (const [name, property] of Object.entries((schema.properties ?? {}) as JsonObject)) {
      const required = (schema.required ?? []) as Json[]
      found.push({ name, field: target(property), isRequired: required.includes(name) })
      walk(property)
    }
    for (const part of [schema.items, schema.allOf, schema.anyOf].flat()) if (part !== undefined) walk(part)
  }

  function target(value: Json): JsonObject {
    if (!isObject(value)) return {}
    return typeof value.$ref === 'string' ? target(follow(variant.documents, value.$ref)) : value
  }
}

function isNullable({ type, anyOf }: JsonObject): boolean {
  return [type].flat().includes('null') || ((anyOf ?? []) as JsonObject[]).some((it) => it.type === 'null')
}

/** The names of all fields that are null, at any depth but in free-form objects. */
function namesOfNulls(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => {
    if (name === 'credential_json') return []
    return item === null ? [name] : namesOfNulls(item)
  })
}
