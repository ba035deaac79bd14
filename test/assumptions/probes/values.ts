import type { Rows } from '../../../src/apis/knowledge-chat/types.gen.js'
import type { Answer } from '../../mock.js'
import { type Probe, statusOf } from '../probe.js'

const session = '2d1f3c58-4b0e-4f6a-9d8e-6f0a0e9b7c11'

/** The mock is strict, so a reply with a value outside of a set is a 500. */
export const valueProbes: Record<string, Probe> = {
  'sources.values': async ({ call }) => [
    await statusOf(call('GET', '/api/manage/admin/similar-credentials/slack')),
    await statusOf(call('GET', '/api/manage/admin/similar-credentials/bulletin_board'))
  ],

  'shared-status.values': ({ call, sandbox: { rows } }) => {
    const row = rows.chatSessions.get(session) as Rows['chatSessions']
    rows.chatSessions.put({ ...row, shared_status: 'team' as never })
    return statusOf(call('GET', '/api/chat/get-user-chat-sessions'))
  },

  'cc-pair-status.values': ({ call, sandbox: { rows } }) => {
    const row = rows.connectorCredentials.get(1) as Rows['connectorCredentials']
    rows.connectorCredentials.put({ ...row, status: 'RESTING' as never })
    const body = { get_all_connectors: true }
    return statusOf(call('POST', '/api/manage/admin/connector/indexing-status', { body }))
  },

  'roles.values': ({ call, sandbox: { rows } }) => {
    const row = rows.users.first('byKey', 'basic') as Rows['users']
    rows.users.put({ ...row, role: 'auditor' as never })
    return statusOf(call('GET', '/api/get-user-role', { as: 'basic' }))
  },

  'responses.null': async ({ call }) => [
    'owner' in (await call('GET', '/api/persona/0')).body,
    'next_page' in (await call('GET', '/api/chat/search?query=nothing-like-this')).body
  ],

  'lists.order': async ({ call }) => {
    const ids = async (path: string, of: (body: Answer['body']) => unknown) => of((await call('GET', path)).body)
    const idsOf = (rows: { id: unknown }[]) => rows.map(({ id }) => id)
    return [
      await ids('/api/chat/get-user-chat-sessions?page_size=5', ({ sessions }) => idsOf(sessions)),
      await ids('/api/chat/search', ({ groups }) => groups.map((group: { title: string }) => group.title)),
      await ids('/api/manage/admin/credential', idsOf),
      await ids('/api/user/projects/', idsOf)
    ]
  },

  'tool.custom-headers': ({ call, sandbox: { rows } }) => {
    const row = rows.tools.get(1) as Rows['tools']
    rows.tools.put({ ...row, custom_headers: [{ name: 'X-Client' } as never] })
    return statusOf(call('GET', '/api/persona/0'))
  },

  'document-set.entities': async ({ call, sandbox: { rows } }) => {
    const row = rows.personas.get(1) as Rows['personas']
    rows.personas.put({ ...row, document_set_ids: [2] })
    const { body } = await call('GET', '/api/persona/1')
    return body.document_sets[0].federated_connector_summaries[0].entities
  }
}
