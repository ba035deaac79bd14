const json = (schema: object) => ({ 'application/json': { schema } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
export const ok = (schema: object) => ({ 200: { description: 'ok', content: json(schema) } })
const text = { type: 'string' }

/** A document with a collection and an operation of every kind. */
export function notes() {
  return {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1' },
    'x-mock-collections': { notes: { schema: '#/components/schemas/Note', count: 20 } },
    paths: {
      '/api/notes': {
        get: {
          operationId: 'listNotes',
          'x-mock': { collection: 'notes' },
          parameters: [
            { name: 'limit', in: 'query', schema: { type: 'integer', default: 5 } },
            { name: 'offset', in: 'query', schema: { type: 'integer' } },
            { name: 'done', in: 'query', schema: { type: 'boolean' } }
          ],
          responses: ok({ type: 'array', items: ref('Note') })
        },
        post: {
          operationId: 'addNote',
          'x-mock': { collection: 'notes' },
          requestBody: { required: true, content: json(ref('NewNote')) },
          responses: { 201: { description: 'made', content: json(ref('Note')) } }
        }
      },
      '/api/notes/{note_id}': {
        parameters: [{ name: 'note_id', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { operationId: 'getNote', 'x-mock': { collection: 'notes' }, responses: ok(ref('Note')) },
        patch: {
          operationId: 'changeNote',
          'x-mock': { collection: 'notes' },
          requestBody: { content: json({ ...ref('NewNote'), required: [] }) },
          responses: ok(ref('Note'))
        },
        delete: {
          operationId: 'dropNote',
          'x-mock': { collection: 'notes' },
          responses: { 204: { description: 'gone' } }
        }
      },
      '/api/notes/{note_id}/archive': {
        post: {
          operationId: 'archiveNote',
          parameters: [{ name: 'note_id', in: 'path', required: true, schema: { type: 'integer' } }],
          responses: ok(ref('Note'))
        }
      },
      '/api/agents': {
        get: {
          operationId: 'agents',
          'x-mock': { collection: 'personas', view: 'getPersona' },
          responses: ok({ type: 'array', items: {} })
        }
      },
      '/api/me': {
        get: {
          operationId: 'me',
          security: [{ bearer: [] }],
          responses: ok({
            type: 'object',
            required: ['email', 'role'],
            properties: { email: { ...text, format: 'email' }, role: text }
          })
        }
      },
      '/api/hello': {
        get: {
          operationId: 'hello',
          responses: { 200: { description: 'ok', content: { 'text/plain': { schema: text, example: 'hi' } } } }
        }
      },
      '/api/status': { get: { operationId: 'status', responses: ok(ref('Status')) } },
      '/api/echo': {
        post: {
          operationId: 'echo',
          parameters: [
            { name: 'ids', in: 'query', required: true, schema: { type: 'array', items: { type: 'integer' } } },
            { name: 'X-Level', in: 'header', schema: { type: 'integer' } },
            { name: 'session', in: 'cookie', schema: text }
          ],
          requestBody: {
            content: {
              'application/x-www-form-urlencoded': {
                schema: {
                  type: 'object',
                  properties: { count: { type: 'integer' }, tags: { type: 'array', items: text } }
                }
              }
            }
          },
          responses: ok({})
        }
      },
      '/api/trouble': {
        get: {
          operationId: 'trouble',
          parameters: [{ name: 'how', in: 'query', required: true, schema: text }],
          responses: ok({})
        }
      }
    },
    components: {
      schemas: {
        NewNote: {
          type: 'object',
          required: ['title'],
          properties: { title: { ...text, minLength: 1 }, done: { type: 'boolean' } }
        },
        Note: {
          type: 'object',
          required: ['id', 'title', 'done', 'created_at'],
          properties: {
            id: { type: 'integer' },
            title: text,
            done: { type: 'boolean' },
            created_at: { ...text, format: 'date-time' }
          }
        },
        Status: {
          type: 'object',
          required: ['state', 'version', 'since', 'parent'],
          properties: {
            state: { enum: ['up', 'down'] },
            version: { ...text, pattern: '^\\d+\\.\\d+$' },
            since: { anyOf: [{ ...text, format: 'date' }, { type: 'null' }] },
            // It refers to itself.
            parent: { anyOf: [ref('Status'), { type: 'null' }] }
          }
        }
      }
    }
  }
}

/** Rules next to it. */
export const rulesOfNotes = `
export const me = (input, { user }) => ({ email: user.email, role: user.role })

export function archiveNote({ path }, { rows, refuse }) {
  const note = rows.notes.get(path.note_id) ?? refuse(404, 'Note ' + path.note_id + ' not found')
  return rows.notes.put({ ...note, done: true })
}

export function trouble({ query }, { rows, faker, sandbox }) {
  rows.notes.put({ ...rows.notes.get(1), title: 'changed' })
  switch (query.how) {
    case 'throws': throw new Error('of its own')
    case 'breaks': return rows.notes.put({ done: true })
    case 'circles': {
      const note = { ...rows.notes.get(2) }
      return rows.notes.put(Object.assign(note, { self: note }))
    }
    case 'counts': return rows.notes.put({ ...rows.notes.get(2), count: 1n })
    case 'waits': return Promise.resolve(1)
    case 'writes': rows.notes.get(2).title = 'in place'; return null
    case 'where': return sandbox
    default: return [faker.person.fullName(), faker.string.uuid()]
  }
}
`
