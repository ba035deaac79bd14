import { fields } from '../../walk.js'
import type { Answer, Switch, Switches } from '../switch.js'

const deletions = ['E4', 'E7', 'E20', 'E28', 'E30']

/** What a deletion answers. */
const deletion = (says: string, changed: Partial<Answer>): Switch => ({
  says,
  answer(answer, operation) {
    if (answer.status === 200 && deletions.includes(operation)) Object.assign(answer, changed)
  }
})

/** What is answered where something is not found. */
const missing = (says: string, changed: Partial<Answer>): Switch => ({
  says,
  answer(answer) {
    if (answer.status === 404) Object.assign(answer, structuredClone(changed))
  }
})

/** The body of every success, changed. */
const success = (
  says: string,
  change: (body: Answer['body'], operation: string, answer: Answer) => unknown
): Switch => ({
  says,
  answer(answer, operation) {
    if (answer.status === 200) answer.body = change(answer.body, operation, answer)
  }
})

const moment = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
const times = (says: string, form: (time: string) => string) =>
  success(says, (body) => fields(body, (it) => (typeof it === 'string' && moment.test(it) ? form(it) : it)))
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

let reads = 0

/** Forms of answers that the description leaves open. */
export const answers = {
  'deleted-empty-object': deletion('Deletions answer an empty object.', { body: {} }),
  'deleted-204': deletion('Deletions answer 204.', { status: 204 }),
  'deleted-success': deletion('Deletions answer that they succeeded.', { body: { success: true } }),
  'deleted-text': deletion('Deletions answer a text.', { body: 'ok' }),
  'deleted-message': deletion('Deletions answer a message.', { body: { message: 'Deleted.' } }),
  'deleted-row': deletion('Deletions answer an id.', { body: { id: 17, deleted: true } }),
  'deleted-status': deletion('Deletions answer a status with data.', {
    body: { success: true, message: null, data: 17 }
  }),
  'deleted-true': deletion('Deletions answer true.', { body: true }),
  'deleted-number': deletion('Deletions answer the number of rows.', { body: 1 }),
  'deleted-nothing': deletion('Deletions answer 200 without a body.', { body: undefined, headers: {} }),
  'deleted-202': deletion('Deletions are taken up, and answered with 202.', { status: 202, body: { state: 'queued' } }),
  'missing-400': missing('What is missing is answered with 400.', { status: 400 }),
  'missing-403': missing('What is missing is answered with 403.', { status: 403 }),
  'missing-410': missing('What is missing is answered with 410.', { status: 410 }),
  'missing-422': missing('What is missing is answered with 422.', {
    status: 422,
    body: { detail: [{ loc: ['path', 'id'], msg: 'There is none.', type: 'missing_row', input: null, ctx: {} }] }
  }),
  'places-without-part': {
    says: 'SandboxOwners do not name the part of the request.',
    answer({ status, body }) {
      if (status === 422) for (const item of body.detail) item.loc.shift()
    }
  },
  'places-in-texts': {
    says: 'SandboxOwners in lists are texts.',
    answer({ status, body }) {
      if (status === 422) for (const item of body.detail) item.loc = item.loc.map(String)
    }
  },
  'places-with-dots': {
    says: 'SandboxOwners are one text with dots.',
    answer({ status, body }) {
      if (status === 422) for (const item of body.detail) item.loc = [item.loc.join('.')]
    }
  },
  'places-as-pointers': {
    says: 'SandboxOwners are pointers into the part of the request.',
    answer({ status, body }) {
      if (status === 422) for (const item of body.detail) item.loc = [`/${item.loc.slice(1).join('/')}`]
    }
  },
  'places-of-fields': {
    says: 'SandboxOwners go no deeper than a field.',
    answer({ status, body }) {
      if (status === 422) for (const item of body.detail) item.loc = item.loc.slice(0, 2)
    }
  },
  'missing-detail': missing('What is missing is told as a detail.', { body: { detail: 'Not Found' } }),
  'missing-empty': missing('What is missing is answered without a body.', { body: undefined, headers: {} }),
  'missing-text': missing('What is missing is told in plain text.', {
    body: 'no such thing',
    headers: { 'content-type': 'text/plain' }
  }),
  'missing-html': missing('What is missing is told in HTML.', {
    body: '<h1>Not here</h1>',
    headers: { 'content-type': 'text/html' }
  }),
  'missing-problem': missing('What is missing is told as a problem.', {
    body: { type: 'about:blank', title: 'Not Found', status: 404 },
    headers: { 'content-type': 'application/problem+json' }
  }),
  'nulls-left-out': success('What may be null is left out in place of it.', (body) =>
    body === null ? null : fields(body, (it) => (it === null ? undefined : it))
  ),
  nulls: { says: 'Fields without a value are null.' },
  'some-nulls': { says: 'Some fields without a value are left out, others are null.' },
  'empty-for-null': success('Texts without a value are empty.', (body) =>
    fields(body, (it, name) =>
      it === null && /^(icon_name|llm_\w+_override|current_alternate_model|message)$/.test(name) ? '' : it
    )
  ),
  'E18-502': {
    says: 'Pages cannot be fetched, which is answered with 502.',
    answer(answer, operation) {
      if (operation === 'E18' && answer.status === 200) answer.status = 502
    }
  },
  'E18-400': {
    says: 'Pages cannot be fetched, which is answered with 400.',
    answer(answer, operation) {
      if (operation === 'E18' && answer.status === 200) answer.status = 400
    }
  },
  'more-fields': success('Objects have more fields.', (body) =>
    fields(body, (it) => (isRow(it) ? { ...it, revision: 3, links: { self: '/x' } } : it))
  ),
  'counted-reads': success('Objects tell how often they were read.', (body) =>
    fields(body, (it) => (isRow(it) ? { ...it, reads: ++reads } : it))
  ),
  'times-with-offset': times('Times have an offset.', (time) => time.replace('Z', '+00:00')),
  'times-of-microseconds': times('Times have microseconds.', (time) =>
    time.replace(/(\.\d+)?Z$/, (_, part = '.000') => `${part}123+00:00`)
  ),
  'times-without-zone': times('Times name no zone.', (time) => time.replace('Z', '')),
  'times-of-seconds': times('Times have no parts of seconds.', (time) => time.replace(/\.\d+/, '')),
  'times-elsewhere': times('Times are those of another zone.', (time) =>
    new Date(Date.parse(time) + 7_200_000).toISOString().replace('Z', '+02:00')
  ),
  'uuids-in-capitals': success('UUIDs are in capitals.', (body) =>
    fields(body, (it, name) =>
      typeof it === 'string' && uuid.test(it) && name !== 'user_file_ids' ? it.toUpperCase() : it
    )
  ),
  'plain-json': { says: 'The content type names no character set.' },
  'json-in-capitals': success('The content type is in other letters.', (body, _, { headers }) => {
    headers['content-type'] = 'Application/JSON;charset="UTF-8"'
    return body
  }),
  'headers-of-caches': success('Answers have an ETag and are not to be kept.', (body, _, { headers }) => {
    Object.assign(headers, { etag: '"17"', 'cache-control': 'no-store', vary: 'authorization', 'x-request-id': 'abc' })
    return body
  }),
  'next-page-always': success('next_page is told even where there is none.', (body, operation) =>
    operation === 'E3' ? { ...body, next_page: body.next_page ?? 999 } : body
  ),
  'next-page-zero': success('next_page is 0 where there is none.', (body, operation) =>
    operation === 'E3' ? { ...body, next_page: body.next_page ?? 0 } : body
  ),
  'one-group': success('What is found is one group without a title.', (body, operation) =>
    operation === 'E3'
      ? { ...body, groups: [{ title: '', chats: body.groups.flatMap((it: { chats: object[] }) => it.chats) }] }
      : body
  ),
  'empty-groups': success('Groups that have nothing are shown.', (body, operation) =>
    operation === 'E3' ? { ...body, groups: [...body.groups, { title: 'Pinned', chats: [] }] } : body
  ),
  'roles-in-capitals': success('Roles are in capitals.', (body, operation) =>
    operation === 'E29' ? { role: body.role.toUpperCase() } : body
  ),
  'invited-zero': success('The number of an invitation is always 0.', (body, operation) =>
    operation === 'E27' ? 0 : body
  ),
  'no-groups': success('There are no groups of users: they are left out.', (body, operation) =>
    ['E8', 'E9', 'E10', 'E11'].includes(operation)
      ? fields(body, (it, name) => (name === 'groups' ? undefined : it))
      : body
  ),
  'after-removal': success('The deletion of a file tells of what is left of it: nothing.', (body, operation) =>
    operation === 'E26' ? { has_associations: false, project_names: [], assistant_names: [] } : body
  )
} as const satisfies Switches

/** A row has an id, or is the body itself. */
const isRow = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  ('id' in value || 'name' in value || 'role' in value)
