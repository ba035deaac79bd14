import { type Asked, type Fault, operations, type Reply } from './mutants/server.js'

/** What a server may do as the description leaves it open, though the mock does not. */
export interface Legal {
  name: string
  /** The operations that are verified: globs. */
  operations: string
  fault: Fault
}

type Alter = (asked: Asked, memory: Map<string, unknown>) => Promise<Reply> | Reply

function legal(name: string, verified: string, alter: Alter): Legal {
  return {
    name,
    operations: verified,
    fault: () => {
      const memory = new Map<string, unknown>()
      return (asked) => alter(asked, memory)
    }
  }
}

const json = (status: number, body: unknown, headers = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body
})

const missing = (...locs: (string | number)[][]) =>
  json(422, { detail: locs.map((loc) => ({ type: 'missing', loc, msg: 'Field required', input: {}, ctx: {} })) })

const isAdmin = ({ headers }: Asked) => headers.authorization === 'Bearer admin'

/** Every place in a JSON value. */
function mapped(value: unknown, change: (name: string, value: unknown, row: object) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, item]) => [name, mapped(change(name, item, value), change)])
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Fields that a server may leave out where they are null. */
const nullable = ['icon_name', 'uploaded_image_id', 'display_priority', 'owner', 'num_chunks', 'task_prompt', 'name']

/** A request that wants a field: refused without it, and otherwise as the mock answers. */
const requires = (operation: string, field: string): Legal =>
  legal(`${operation} requires ${field}`, `${operation},getConnector,getUserRole`, (asked) => {
    const isWithout = asked.operation === operation && asked.body?.constructor === Object && !(field in asked.body)
    const isNumbered = Object.values(asked.params).every((value) => /^\d+$/.test(value))
    return isWithout && isNumbered && isAdmin(asked) ? missing(['body', field]) : asked.pass()
  })

/** A request that needs no field of its body: what is left out is made up. */
const needsNothing = (operation: string, filling: object): Legal =>
  legal(`${operation} requires no field`, operation, (asked) => {
    if (asked.operation !== operation) return asked.pass()
    if (asked.bytes.length === 0 && isAdmin(asked)) {
      return asked.pass({ body: filling, headers: { 'content-type': 'application/json' } })
    }
    const isObject = asked.body?.constructor === Object && /json/.test(asked.headers['content-type'] ?? '')
    const given = Object.fromEntries(Object.entries(asked.body ?? {}).filter(([, value]) => value !== null))
    return isObject ? asked.pass({ body: { ...filling, ...given } }) : asked.pass()
  })

export const legals: Legal[] = [
  legal('a body that is none is told at ["body"]', 'inviteUsers', async (asked) => {
    const reply = await asked.pass()
    const isNone = asked.body?.constructor !== Object
    return reply.status === 422 && isNone && asked.operation === 'inviteUsers' ? missing(['body']) : reply
  }),
  ...[
    ['a number of seconds', '0'],
    ['a date', 'Mon, 02 Mar 2026 10:00:00 GMT']
  ].map(([what, after]) =>
    legal(`every fifth request is answered with 429 and ${what}`, 'E1,E2,E3,E4,E29', (asked, memory) => {
      const count = Number(memory.get('count') ?? 0) + 1
      memory.set('count', count)
      return count % 5 === 0 ? json(429, { detail: 'Slow down' }, { 'retry-after': after }) : asked.pass()
    })
  ),
  legal('a 503 that asks to wait comes before every success', 'getUserRole,listProjects', (asked, memory) => {
    const key = `${asked.method} ${asked.url} ${asked.headers.authorization}`
    if (memory.has(key)) return asked.pass()
    memory.set(key, true)
    return json(503, { detail: 'Busy' }, { 'retry-after': '0' })
  }),
  requires('createChatSession', 'persona_id'),
  requires('linkCredential', 'auto_sync_options'),
  requires('setProjectInstructions', 'instructions'),
  needsNothing('createCredential', { admin_public: false, credential_json: {}, source: 'web' }),
  needsNothing('inviteUsers', { emails: [] }),
  needsNothing('linkCredential', {}),
  legal('the parameter of E3 that has the query is q, and that of the size limit', 'E1,E2,E3,E4', async (asked) => {
    if (asked.url.startsWith('/openapi')) return json(404, { detail: 'Not Found' })
    if (asked.operation !== 'searchChats') return asked.pass()
    const query = new URLSearchParams()
    for (const [name, value] of asked.query) {
      const known = { q: 'query', limit: 'page_size', page: 'page' }[name]
      if (known) query.set(known, value)
    }
    return asked.pass({ url: `/api/chat/search?${query}` })
  }),
  legal('E3 knows no name of a parameter', 'E1,E2,E3,E4', (asked) => {
    if (asked.url.startsWith('/openapi')) return json(404, { detail: 'Not Found' })
    return asked.operation === 'searchChats' ? asked.pass({ url: '/api/chat/search' }) : asked.pass()
  }),
  ...[{ deleted: true, id: 7 }, [], 'gone', 3].map((body) =>
    legal(`deletions answer ${JSON.stringify(body)}`, 'E4,E7,E20,E28,E30', async (asked) => {
      const reply = await asked.pass()
      const isFree = reply.status === 200 && asked.method === 'DELETE' && /E(4|7|20|28|30)$/.test(codeOf(asked))
      return isFree ? json(200, body) : reply
    })
  ),
  legal('a repeated association is answered with 409', 'E13,E14,E15', async (asked) => {
    const reply = await asked.pass()
    const isRepeated = asked.operation === 'linkCredential' && reply.body?.success === false
    return isRepeated ? json(409, { detail: 'They are associated' }) : reply
  }),
  legal('a repeated dissociation is a success', 'E13,E14,E15', async (asked) => {
    const reply = await asked.pass()
    if (asked.operation === 'unlinkCredential' && reply.body?.success === false) reply.body.success = true
    return reply
  }),
  legal('federated connectors have fields of their own', 'getIndexingStatus', async (asked) => {
    const reply = await asked.pass()
    for (const group of Array.isArray(reply.body) ? reply.body : []) {
      group.indexing_statuses = group.indexing_statuses?.map((item: object) =>
        'cc_pair_id' in item ? item : { connector: { kind: 'federated' }, is_connected: true }
      )
    }
    return reply
  }),
  legal('a page beyond the last is the last', 'getIndexingStatus', async (asked) => {
    if (!JSON.stringify(asked.body ?? '').includes('9999')) return asked.pass()
    return asked.pass({ body: { ...asked.body, source_to_page: {} } })
  }),
  legal('texts have at most a hundred characters', 'E1,E8,E23', async (asked) => {
    const long = Object.entries(asked.body ?? {}).find(([, value]) => typeof value === 'string' && value.length > 100)
    if (!long || !isAdmin(asked) || asked.operation === undefined) return asked.pass()
    const at = {
      type: 'string_too_long',
      loc: ['body', long[0]],
      msg: 'At most 100 characters',
      input: long[1],
      ctx: {}
    }
    return json(422, { detail: [at] })
  }),
  legal('any text is an address', 'inviteUsers', async (asked) => {
    if (asked.operation !== 'inviteUsers' || !Array.isArray(asked.body?.emails)) return asked.pass()
    const isText = asked.body.emails.every((it: unknown) => typeof it === 'string')
    const emails = asked.body.emails.map((it: string) =>
      /^\S+@\S+\.\S+$/.test(it) ? it : `${Buffer.from(String(it)).toString('hex')}@example.com`
    )
    return isText ? asked.pass({ body: { emails } }) : asked.pass()
  }),
  legal('invites go to one domain only', 'inviteUsers', async (asked) => {
    const isOther = (asked.body?.emails ?? []).every?.((it: unknown) => typeof it === 'string')
    const isAny = isOther && asked.body?.emails?.length > 0
    return isAny && isAdmin(asked) ? json(400, { detail: 'Only our own domain' }) : asked.pass()
  }),
  legal('uuids come in upper case', '*', async (asked) => {
    const reply = await asked.pass()
    if (asked.operation === undefined) return reply
    const body = mapped(reply.body, (_, value) =>
      typeof value === 'string' && uuid.test(value) ? value.toUpperCase() : value
    )
    return { ...reply, body }
  }),
  legal('malformed JSON is answered with 400, in words of its own', 'createChatSession,validateTool', async (asked) => {
    const isNone =
      asked.bytes.length > 0 && asked.body === undefined && /json/.test(asked.headers['content-type'] ?? '')
    return isNone && isAdmin(asked) ? json(400, { title: 'This is not JSON' }) : asked.pass()
  }),
  legal('an empty definition is one without methods', 'validateTool', async (asked) => {
    const { definition } = asked.body ?? {}
    const isEmpty = definition?.constructor === Object && Object.keys(definition).length === 0
    return isEmpty && isAdmin(asked) ? json(200, { methods: [] }) : asked.pass()
  }),
  legal('some empty fields are null and others are left out, by turns', '*', async (asked, memory) => {
    const reply = await asked.pass()
    if (asked.operation === undefined || reply.status !== 200) return reply
    const turn = Number(memory.get('turn') ?? 0) + 1
    memory.set('turn', turn)
    const isLeftOut = (name: string, place: number) => nullable.includes(name) && (place + turn) % 2 === 0
    const body = mapped(reply.body, (name, value) =>
      value === null && isLeftOut(name, nullable.indexOf(name)) ? undefined : value
    )
    return { ...reply, body }
  }),
  legal('without a token, all is hidden with 404', '*', async (asked) => {
    const reply = await asked.pass()
    return reply.status === 401 ? json(404, { detail: 'Not Found' }) : reply
  }),
  legal('without a token, the header is what is wrong', '*', async (asked) => {
    const reply = await asked.pass()
    return reply.status === 401 ? missing(['header', 'authorization']) : reply
  }),
  legal('administrators have a role of another name', '*', async (asked) => {
    const reply = await asked.pass()
    if (asked.operation === 'getUserRole' && reply.status === 200)
      reply.body.role = `${reply.body.role.toUpperCase()}_USER`
    return reply
  }),
  legal('the names of roles tell nothing', '*', async (asked) => {
    const reply = await asked.pass()
    if (asked.operation === 'getUserRole' && reply.status === 200) reply.body.role = 'member'
    return reply
  }),
  legal('a chat session may name an agent that does not exist', 'E1,E2', async (asked, memory) => {
    if (asked.body?.persona_id > 1e9) {
      const made = await asked.pass({ body: { ...asked.body, persona_id: undefined } })
      memory.set('id', made.body.chat_session_id)
      memory.set('agent', asked.body.persona_id)
      return made
    }
    const reply = await asked.pass()
    for (const session of reply.body?.sessions ?? [])
      if (session.id === memory.get('id')) session.persona_id = memory.get('agent')
    return reply
  })
]

function codeOf({ operation }: Asked): string {
  return operation === undefined ? '' : (operations.get(operation)?.code ?? '')
}
