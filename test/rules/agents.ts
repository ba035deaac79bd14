import { connector, pair } from '../../fixtures/connectors.js'
import { userFile } from '../../fixtures/files.js'
import { Maker } from '../../fixtures/maker.js'
import { documentSet, federatedConnector, label, persona } from '../../fixtures/personas.js'
import { tool } from '../../fixtures/tools.js'
import type { Rows } from '../../src/apis/knowledge-chat/types.gen.js'
import { type TestMock, testNow } from '../mock.js'

export const fileOfBasic = 'a0000000-0000-4000-8000-000000000001'
export const fileOfCurator = 'a0000000-0000-4000-8000-000000000002'
export const fileOfAdmin = 'a0000000-0000-4000-8000-000000000003'
export const deletedFile = 'a0000000-0000-4000-8000-000000000004'
export const nowhere = '99999999-9999-4999-8999-999999999999'

/** Agents 1 (basic's, with everything, shared with the curator), 2 (the curator's, hidden) and 3 (the curator's, public). */
export async function withAgents(on: TestMock): Promise<void> {
  await on.reset()
  const { rows } = on.sandbox
  const make = new Maker(1, Date.parse(testNow))
  const [basic, curator, admin] = ['basic', 'curator', 'admin'].map((key) => userId(on, key)) as [
    string,
    string,
    string
  ]
  for (const id of [1, 2, 3]) rows.tools.put(tool(make, { id, name: `tool${id}` }))
  for (const name of ['Writing', 'Support']) rows.labels.put(label(make, { name }))
  for (const [id, source] of [
    [1, 'web'],
    [2, 'slack']
  ] as const) {
    rows.connectors.put(connector(make, { id, source }))
    rows.connectorCredentials.put(
      pair(make, { id, connector_id: id, credential_id: 1, name: `Pair ${id}`, access_type: 'sync' })
    )
  }
  const federated_connector_summaries = [federatedConnector(1, 'Chat')]
  rows.documentSets.put(
    documentSet(make, {
      id: 1,
      name: 'Wiki',
      cc_pair_ids: [2, 1, 77],
      users: [curator, nowhere],
      federated_connector_summaries
    })
  )
  rows.documentSets.put(documentSet(make, { id: 2, name: 'Notes' }))
  for (const [id, user_id] of [
    [fileOfBasic, basic],
    [fileOfCurator, curator],
    [fileOfAdmin, admin]
  ] as const) {
    rows.userFiles.put(userFile(make, { id, user_id }))
  }
  rows.userFiles.put(
    userFile(make, { id: deletedFile, user_id: basic, status: 'DELETING', settles_at: '2026-03-02T10:00:01.000Z' })
  )
  rows.personas.put(fullPersona(make, basic, [curator]))
  rows.personas.put(persona(make, { id: 2, name: 'Secret', owner_id: curator }))
  rows.personas.put(persona(make, { id: 3, name: 'Open', owner_id: curator, is_public: true }))
}

function fullPersona(make: Maker, owner_id: string, user_ids: string[]): Rows['personas'] {
  return persona(make, {
    id: 1,
    name: 'Scribe',
    description: 'Writes',
    owner_id,
    user_ids,
    is_public: true,
    uploaded_image_id: 'image-1',
    icon_name: 'pencil',
    user_file_ids: [fileOfBasic],
    display_priority: 3,
    is_default_persona: true,
    starter_messages: [{ name: 'a', message: 'b' }],
    tool_ids: [2, 1],
    label_ids: [1],
    groups: [4],
    document_set_ids: [1],
    llm_model_provider_override: 'provider',
    llm_model_version_override: 'version',
    num_chunks: 10,
    llm_relevance_filter: true,
    llm_filter_extraction: true,
    system_prompt: 'system',
    task_prompt: 'task',
    replace_base_system_prompt: true,
    datetime_aware: true,
    search_start_date: '2026-01-01T00:00:00.000Z'
  })
}

export function userId(on: TestMock, key: string): string {
  return on.sandbox.rows.users.first('byKey', key)?.id as string
}

export function agent(on: TestMock, id: number): Rows['personas'] | undefined {
  return on.sandbox.rows.personas.get(id)
}

export function ids(list: { id: number | string }[]): (number | string)[] {
  return list.map((it) => it.id)
}
