import { type Answer, operationOf, type Switch, type Switches } from '../switch.js'

/** The success of one operation, changed. */
const success = (
  at: string,
  breaks: string,
  says: string,
  change: (body: Answer['body'], answer: Answer) => unknown
): Switch => ({
  says,
  breaks,
  at,
  answer(answer, operation) {
    if (answer.status !== 200 || operation !== operationOf({ says, at })) return
    const body = change(answer.body, answer)
    if (body !== undefined) answer.body = body
  }
})

const each = (list: object[], change: (item: never) => void) => {
  for (const item of list) change(item as never)
}
const redirect = (answer: Answer, status: number, location: string) =>
  void Object.assign(answer, { status, headers: { location } })

type Row = Record<string, unknown>

/** Answers of another form. */
export const shapes = {
  'E1-201': success(
    'E1',
    'E1',
    'A new chat session is answered with 201.',
    (_, answer) => void Object.assign(answer, { status: 201 })
  ),
  'E1-id': success('E1', 'E1', 'The id of a new chat session is called id.', (body) => ({ id: body.chat_session_id })),
  'E2-list': success('E2', 'E2', 'Chat sessions come as a bare list.', (body) => body.sessions),
  'E2-shared': success('E2', '2.3', 'shared_status is a boolean.', (body) =>
    each(body.sessions, (it: Row) => void Object.assign(it, { shared_status: it.shared_status === 'public' }))
  ),
  'E2-cuts': success('E1,E3,E4,E2', '2.3', 'The list of chat sessions cuts their names.', (body) =>
    each(body.sessions, (it: Row) => void Object.assign(it, { name: String(it.name).slice(0, 6) }))
  ),
  'E3-text': success('E3', 'E3', 'has_more is a text.', (body) => ({ ...body, has_more: String(body.has_more) })),
  'E3-chats': success('E3', 'E3', 'Groups are an object by their titles.', (body) => ({
    ...body,
    groups: Object.fromEntries(body.groups.map((it: Row) => [it.title, it.chats]))
  })),
  'E5-id-text': success('E5', '2.7', 'The id of an agent is a text.', (body) => ({ ...body, id: String(body.id) })),
  'E5-owner': success('E5', '2.7', 'The owner is an address alone.', (body) => ({
    ...body,
    owner: body.owner?.email ?? 'nobody'
  })),
  'E5-labels': success('E5', '2.7', 'Labels are names.', (body) => ({
    ...body,
    labels: body.labels.map((it: Row) => it.name)
  })),
  'E5-empty': success('E5', 'E5', 'An agent is answered with an empty object.', () => ({})),
  'E6-wrapped': success('E6', 'E6', 'A changed agent is wrapped.', (body) => ({ persona: body })),
  'E8-202': success(
    'E8',
    'E8',
    'A new credential is answered with 202.',
    (_, answer) => void Object.assign(answer, { status: 202 })
  ),
  'E8-time': success('E8', '2.4', 'Times are seconds.', (body) => ({
    ...body,
    credential: { ...body.credential, time_created: Date.parse(body.credential.time_created) / 1000 }
  })),
  'E9-date': success('E9', '2.4', 'A time is a date in words.', (body) => ({
    ...body,
    time_updated: new Date(body.time_updated).toUTCString()
  })),
  'E9-source': success('E9', '2.1', 'Sources are in capitals.', (body) => ({
    ...body,
    source: body.source.toUpperCase()
  })),
  'E10-wrapped': success('E10', 'E10', 'Public credentials are wrapped.', (body) => ({ credentials: body })),
  'E10-curator': success('E8,E9,E10', '2.4', 'The list tells the opposite of curator_public.', (body) =>
    each(body, (it: Row) => void Object.assign(it, { curator_public: !it.curator_public }))
  ),
  'E10-user': success('E8,E9,E10', '2.4', 'The list says that all are of one user.', (body) =>
    each(body, (it: Row) => void Object.assign(it, { user_id: '11111111-1111-4111-8111-111111111111' }))
  ),
  'E11-null': success('E11', 'E11', 'Where there is no similar credential, null is answered.', (body) =>
    body.length === 0 ? null : undefined
  ),
  'E12-object-as-text': success('E12', 'E12', 'credential_json is a text.', (body) => ({
    ...body,
    credential_json: JSON.stringify(body.credential_json)
  })),
  'E13-data': success('E8,E13', '2.5', 'data of a link is a text.', (body) => ({ ...body, data: String(body.data) })),
  'E13-success': success('E8,E13', '2.5', 'success is a text.', (body) => ({ ...body, success: 'yes' })),
  'E15-ids': success('E15', '2.6', 'credential_ids are texts.', (body) => ({ ...body, credential_ids: ['301'] })),
  'E15-input': success('E15', '2.2', 'input_type is none of the four.', (body) => ({ ...body, input_type: 'push' })),
  'E16-object': success('E16', 'E16', 'Groups of indexing are an object.', (body) => ({ groups: body })),
  'E16-status': success('E16', '2.2', 'A last status is none of the six.', (body) =>
    each(body, (group: { indexing_statuses: Row[] }) =>
      each(group.indexing_statuses, (it: Row) => void Object.assign(it, { last_status: 'RUNNING' }))
    )
  ),
  'E16-access': success('E16', '2.2', 'An access is none of the three.', (body) =>
    each(body, (group: { indexing_statuses: Row[] }) =>
      each(group.indexing_statuses, (it: Row) => void Object.assign(it, { access_type: 'open' }))
    )
  ),
  'E16-summary': success('E16', '2.10', 'A number of the summary is a text.', (body) =>
    each(
      body,
      (group: { summary: Row }) =>
        void Object.assign(group.summary, { total_connectors: `${group.summary.total_connectors}` })
    )
  ),
  'E17-text': success('E17', '2.15', 'file_paths is one text.', (body) => ({
    ...body,
    file_paths: body.file_paths.join(',')
  })),
  'E18-provider': success('E18', 'E18', 'provider_type has another value.', (body) => ({
    ...body,
    provider_type: 'crawler'
  })),
  'E18-type': success('E18', '2.13', 'The type of a result has another value.', (body) =>
    each(body.results, (it: Row) => void Object.assign(it, { type: 'page' }))
  ),
  'E19-object': success('E19', 'E19', 'Methods are an object by name.', (body) => ({
    methods: Object.fromEntries(body.methods.map((it: Row) => [it.name, it]))
  })),
  'E21-wrapped': success('E21', 'E21', 'Projects are wrapped.', (body) => ({ projects: body })),
  'E22-no-files': success('E22', 'E22', 'Files are null.', (body) => ({ ...body, files: 7 })),
  'E22-default': success('E22', 'E22', 'persona_id_to_is_default is a list.', (body) => ({
    ...body,
    persona_id_to_is_default: Object.entries(body.persona_id_to_is_default)
  })),
  'E23-text': success('E22,E23', 'E23', 'Instructions are answered as a bare text.', (body) => body.instructions),
  'E24-user': success('E22,E24', '2.11', 'user_id is an address.', (body) => ({
    ...body,
    user_id: 'ada@workshop.example'
  })),
  'E25-status': success('E22,E25', '2.2', 'Another state is called READY.', (body) => ({
    ...body,
    status: body.status === 'COMPLETED' ? 'READY' : body.status
  })),
  'E25-kind': success('E22,E25', '2.2', 'A kind of file is called text.', (body) => ({
    ...body,
    chat_file_type: body.chat_file_type === 'plain_text' ? 'text' : body.chat_file_type
  })),
  'E26-text': success('E26', 'E26', 'Names of projects are one text.', (body) => ({
    ...body,
    project_names: body.project_names.join(', ')
  })),
  'E27-object': success('E27', 'E27', 'The number of invitations is wrapped.', (body) => ({ invited: body })),
  'E29-text': success('E29', 'E29', 'The role is a bare text.', (body) => body.role),
  'E2-html': success(
    'E2',
    '4',
    'Chat sessions are sent as HTML.',
    (_, { headers }) => void Object.assign(headers, { 'content-type': 'text/html' })
  ),
  'E21-plain': success(
    'E21',
    '4',
    'Projects are sent as plain text.',
    (_, { headers }) => void Object.assign(headers, { 'content-type': 'text/plain' })
  ),
  'E5-other-host': success('E5', 'E5', 'An agent is read at another host.', (_, answer) =>
    redirect(answer, 307, 'http://elsewhere.example/api/persona/101')
  ),
  'E22-other-host': success('E21,E22', 'E22', 'A project is read at another host.', (_, answer) =>
    redirect(answer, 302, '//elsewhere.example/login')
  ),
  'E5-hash': success('E5', '2.7', 'The owner is shown with a hash of the password.', (body) => ({
    ...body,
    owner: body.owner && { ...body.owner, hashed_password: '$2b$12$abcdefghijklmnopqrstuv' }
  })),
  'E29-token': success('E29', 'E29', 'With the role the token is shown.', (body) => ({
    ...body,
    access_token: 'tok-ada'
  })),
  'E9-key': success('E9', '2.4', 'A credential is shown with its private key.', (body) => ({
    ...body,
    private_key: '-----BEGIN PRIVATE KEY-----'
  }))
} satisfies Switches
