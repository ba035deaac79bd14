import type { Rows } from '../../src/apis/knowledge-chat/types.gen.js'
import { createContract } from '../../src/engine/contract/contract.js'
import type { JsonObject } from '../../src/engine/contract/load.js'
import type { Operation } from '../../src/engine/contract/model.js'
import { statusesOf } from '../../src/engine/contract/outcomes.js'
import { sampled } from '../extent.js'
import type { Answer, CallOptions } from '../mock.js'
import { choiceSets, documents } from './choices.js'
import { idsInContracts } from './readers.js'
import { type Opened, startSandboxes } from './sandboxes.js'

const sandboxFor = await startSandboxes()

/** A call that causes a refusal, if the current choices have it. */
type Attempt = (on: Opened) => Promise<Answer>

const create = '/api/chat/create-chat-session'
const agent = '/api/persona/1'
const pair = '/api/manage/connector/1/credential/2'
const file = 'a87ff679-a2f3-471d-9181-a67b7542122c'
const taken = '2d1f3c58-4b0e-4f6a-9d8e-6f0a0e9b7c11'

/** The fields that E6 needs if it accepts only complete agents. */
const wholeAgent = { ...bodyOf('updatePersona', 'everything'), recency_bias: 'base_decay' }
const patch = (body: JsonObject, options: CallOptions = {}): Attempt => {
  return ({ call }) => call('PATCH', agent, { ...options, body: { ...wholeAgent, ...body } })
}
const send = (method: string, path: string, options: CallOptions = {}): Attempt => {
  return ({ call }) => call(method, path, options)
}
const key = (change: { key?: string; name?: string; json?: string; file?: Buffer }, as = 'admin'): Attempt => {
  const form = new FormData()
  form.append('name', 'Intranet')
  form.append('credential_json', change.json ?? '{}')
  form.append('uploaded_file', new Blob([change.file ?? 'no key']), change.name ?? 'key.pfx')
  form.append('field_key', 'private_key')
  form.append('type_definition_key', change.key ?? 'sharepoint_pfx_file')
  return send('PUT', '/api/manage/admin/credential/private-key/1', { as, form })
}
const zip = (count: number): Attempt => {
  const form = new FormData()
  for (let n = 0; n < count; n++) form.append('files', new Blob([emptyZip]), `${n}.zip`)
  if (count === 0) form.append('files', new Blob(['no zip']), 'corrupt.zip')
  return send('POST', '/api/manage/admin/connector/file/upload', { form })
}
const emptyZip = Buffer.from(`504b0506${'00'.repeat(18)}`, 'hex')

/** The first rows, owned by the administrator and readable by others. */
const readable = ({ sandbox: { rows } }: Opened) => {
  const owner = rows.users.first('byKey', 'admin')?.id as string
  const persona = rows.personas.get(1) as Rows['personas']
  const tool = [...rows.tools.all()].find((it) => it.in_code_tool_id === null) as Rows['tools']
  rows.tools.put({ ...tool, user_id: owner })
  rows.personas.put({ ...persona, owner_id: owner, is_public: true, tool_ids: [tool.id] })
  rows.credentials.put({ ...(rows.credentials.get(1) as Rows['credentials']), user_id: owner, curator_public: true })
  return tool.id
}
const shown = (attempt: Attempt): Attempt => {
  return (on) => {
    readable(on)
    return attempt(on)
  }
}

/** A call for every refusal that an operation has under some choice, by operation and reason. */
const attempts: Record<string, Attempt> = {
  'createChatSession unknown-persona': send('POST', create, { body: { persona_id: 999 } }),
  'createChatSession unknown-project': send('POST', create, { body: { project_id: 999 } }),
  'createChatSession incognito-off': send('POST', create, { body: { incognito: true } }),
  'createChatSession taken-id': send('POST', create, { body: { incognito: true, incognito_session_id: taken } }),
  'updatePersona read-only': shown(patch({}, { as: 'basic' })),
  'updatePersona unknown-reference': patch({ tool_ids: [999] }),
  'updatePersona not-linkable': (on) => {
    const { userFiles, personas } = on.sandbox.rows
    userFiles.put({ ...(userFiles.get(file) as Rows['userFiles']), status: 'FAILED' })
    // A file that the agent has already may stay.
    personas.put({ ...(personas.get(1) as Rows['personas']), user_file_ids: [] })
    return patch({ user_file_ids: [file] })(on)
  },
  'updatePersona bad-file-id': patch({ user_file_ids: ['no id'] }),
  'updatePersona builtin': ({ call }) => call('PATCH', '/api/persona/0', { body: wholeAgent }),
  'updatePersona default-not-public': patch({ is_default_persona: true, is_public: false }),
  'updatePersona default-by-user': (on) => {
    const { rows } = on.sandbox
    const row = rows.personas.get(1) as Rows['personas']
    rows.personas.put({ ...row, owner_id: rows.users.first('byKey', 'basic')?.id as string })
    return patch({ is_default_persona: true, is_public: true }, { as: 'basic' })(on)
  },
  'deletePersona read-only': shown(send('DELETE', agent, { as: 'basic' })),
  'deletePersona builtin': send('DELETE', '/api/persona/0'),
  'replacePrivateKey read-only': shown(key({ file: Buffer.from('MIIBAgIBAzCB+gYJKoZIhvcNAQcB', 'base64') }, 'curator')),
  'createCredential not-shared': send('POST', '/api/manage/credential', {
    as: 'basic',
    body: { credential_json: {}, admin_public: true, source: 'web' }
  }),
  'replacePrivateKey bad-json': key({ json: 'no json' }),
  'replacePrivateKey bad-key-type': key({ key: 'pem_file' }),
  'replacePrivateKey bad-file-name': key({ name: 'key.pem' }),
  'replacePrivateKey bad-file': key({}),
  'linkCredential taken-name': ({ call, sandbox: { rows } }) => {
    const name = [...rows.connectorCredentials.all()].find((it) => it.name)?.name as string
    return call('PUT', pair, { body: { name, access_type: 'public' } })
  },
  'linkCredential other-source': (on) => {
    const row = on.sandbox.rows.credentials.get(2) as Rows['credentials']
    on.sandbox.rows.credentials.put({ ...row, source: 'imap' })
    return on.call('PUT', pair, { body: { access_type: 'public' } })
  },
  'unlinkCredential read-only': shown(send('DELETE', '/api/manage/connector/1/credential/1', { as: 'curator' })),
  'unlinkCredential not-associated': send('DELETE', pair),
  'uploadConnectorFiles corrupt-zip': zip(0),
  'uploadConnectorFiles second-zip': zip(2),
  'openUrls too-many-urls': send('POST', '/api/web-search/open-urls', {
    body: { urls: Array(1001).fill('http://a.invalid') }
  }),
  'validateTool bad-definition': send('POST', '/api/admin/tool/custom/validate', { body: { definition: {} } }),
  'deleteTool read-only': (on) => on.call('DELETE', `/api/admin/tool/custom/${readable(on)}`, { as: 'curator' }),
  'deleteTool builtin': send('DELETE', '/api/admin/tool/custom/1'),
  'deleteTool in-use': (on) => on.call('DELETE', `/api/admin/tool/custom/${readable(on)}`),
  'linkFile not-linkable': ({ call, sandbox: { rows } }) => {
    rows.userFiles.put({ ...(rows.userFiles.get(file) as Rows['userFiles']), status: 'FAILED' })
    return call('POST', `/api/user/projects/2/files/${file}`)
  },
  'inviteUsers bad-address': send('PUT', '/api/manage/admin/users', { body: { emails: ['nobody'] } }),
  'deleteChatSession deleted-already': async ({ call }) => {
    await call('DELETE', `/api/chat/delete-chat-session/${taken}`)
    return call('DELETE', `/api/chat/delete-chat-session/${taken}`)
  },
  'deleteUser active': send('DELETE', '/api/manage/admin/delete-user', { body: { user_email: 'grace@example.com' } }),
  'deleteUser oneself': send('DELETE', '/api/manage/admin/delete-user', { body: { user_email: 'ada@example.com' } })
}

/** Refusals that other tests cover: unknown ids, and zips with their own metadata. */
const elsewhere = /^(missing|not-owner|bad-metadata)$/

/** What any operation of the interface refuses, by its id, under any choice. */
const refusals = Object.values(documents).flatMap((document) =>
  document.control ? [] : Object.entries((document.operations ?? {}) as Record<string, JsonObject>)
)
const deciding = idsInContracts(refusals.map(([, operation]) => operation.refusals ?? null))
const cases = choiceSets.filter(({ name }) => name.startsWith('profile') || deciding.has(name.split('=')[0] as string))

describe.each(sampled(cases, 8))('under $name', ({ choices }) => {
  const contract = createContract(documents, choices)

  test.each(Object.keys(attempts))('%s happens if the contract has it, and only then', async (name) => {
    const [id, reason] = name.split(' ') as [string, string]
    const on = sandboxFor(choices)
    const { status } = await (attempts[name] as Attempt)(on)
    const operation = contract.operations.get(id) as Operation
    const row = operation.refusals[reason]
    const [entry] = on.sandbox.journal.entries()
    const isListed = entry?.refusal === reason && status === row?.status
    expect([entry?.refusal, status, isListed]).toEqual([entry?.refusal, status, row !== undefined])
    expect(statusesOf(contract, operation)).toContain(status)
  })
})

test('every refusal that an operation has under some choice has a test', () => {
  const names = refusals.flatMap(([id, operation]) =>
    Object.keys(operation.refusals ?? {}).map((it) => [id, it] as const)
  )
  const own = names.filter(([, reason]) => reason !== 'x-assumption' && !elsewhere.test(reason))
  expect(Object.keys(attempts).sort()).toEqual(own.map((it) => it.join(' ')).sort())
})

/** The body of an example. */
function bodyOf(id: string, example: string): JsonObject {
  const { operations } = createContract(documents, choiceSets[0]?.choices ?? {})
  return operations.get(id)?.examples[example]?.body as JsonObject
}
