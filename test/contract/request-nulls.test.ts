import { createContract } from '../../src/engine/contract/contract.js'
import { choose } from '../../src/engine/contract/ledger.js'
import type { Json, JsonObject } from '../../src/engine/contract/load.js'
import { documents, ledger } from '../assumptions/choices.js'
import { idsIn, startSandboxes } from '../assumptions/sandboxes.js'

const sandboxFor = await startSandboxes()
const under = (choice: string) => choose(ledger, 'documented', [['requests.null', choice]])
const contract = createContract(documents, under('refused'))

/** Every field of a JSON body, with an otherwise minimal body. */
const fields = [...contract.operations.values()].flatMap((operation) => {
  const { body } = operation.input
  if (!body || operation.form || body['x-embedded']) return []
  const { path, body: whole } = Object.values(operation.examples)[0] as { path?: JsonObject; body: JsonObject }
  const required = ((body.required ?? []) as string[]).map((name) => [name, whole[name]])
  const least = Object.fromEntries(required) as JsonObject
  return Object.keys(body.properties as JsonObject).map((name) => ({ operation, name, path, least }))
})

/** The fields that the running service accepts as null. */
const observed: Record<string, string[]> = {
  createChatSession: ['description', 'project_id', 'incognito_session_id'],
  updatePersona: [
    ...['llm_model_provider_override', 'llm_model_version_override', 'uploaded_image_id', 'icon_name', 'label_ids'],
    ...['display_priority', 'remove_image', 'starter_messages', 'user_file_ids', 'search_start_date']
  ],
  createCredential: ['name'],
  linkCredential: ['name', 'auto_sync_options'],
  getIndexingStatus: ['docs_count_operator', 'docs_count_value', 'name_filter', 'source']
}

const choices = ['refused', 'observed', 'accepted'] as const
const cases = fields.flatMap((field) => choices.map((choice) => ({ ...field, id: field.operation.id, choice })))

test.each(cases)('$id, null in $name if requests.null is $choice', async ({ operation, name, path, least, choice }) => {
  const isRequired = name in least
  const isTaken =
    !isRequired && (choice === 'accepted' || (choice === 'observed' && (observed[operation.id] ?? []).includes(name)))
  const { contract, refused, answer } = await withNull()
  if (isTaken) expect(refused).toBe(false)
  else expect([answer.status, answer.body.detail]).toMatchObject([422, [{ loc: ['body', name] }]])
  if (!isTaken) expect(answer.body.detail[0].type).toBe(wordFor(contract, name))
  const ids = idsIn(answer.headers.get('x-mock-assumed'))
  expect(ids.includes('requests.null')).toBe(!isRequired)

  async function withNull() {
    const { call } = sandboxFor(under(choice))
    const address = operation.path.replace(/\{(\w+)\}/g, (_, it: string) => String(path?.[it]))
    const answer = await call(operation.method, address, { body: { ...least, [name]: null } })
    const { properties } = operation.input.body as { properties: Record<string, JsonObject> }
    return { answer, refused: answer.status === 422, contract: properties }
  }
})

/** The type of the item about a wrong null. */
function wordFor(properties: Record<string, JsonObject>, name: string): string {
  const { type, format, $ref } = properties[name] as JsonObject
  if ($ref !== undefined) return 'enum'
  if (format !== undefined) return format === 'uuid' ? 'uuid_type' : 'datetime_type'
  const words: Record<string, string> = { integer: 'int', boolean: 'bool', array: 'list', object: 'dict' }
  return `${words[type as string] ?? type}_type`
}

test('a form cannot have null, and parameters of addresses neither', () => {
  const nullable = (value: Json | undefined): boolean => JSON.stringify(value ?? null).includes('"null"')
  for (const choice of choices) {
    for (const { id, form, input } of createContract(documents, under(choice)).operations.values()) {
      expect([id, nullable(input.path), nullable(input.query), form && nullable(input.body)]).toEqual([
        id,
        false,
        false,
        false
      ])
    }
  }
})
