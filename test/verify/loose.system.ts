import { verify } from '../../src/apis/knowledge-chat/scenes/index.js'
import { type Asked, type Reply, startBroken } from './mutants/server.js'

/** Runs verify on a mock whose replies are changed. */
async function verified(operations: string, change: (asked: Asked, reply: Reply) => void) {
  const server = await startBroken(() => async (asked) => {
    const reply = await asked.pass()
    change(asked, reply)
    return reply
  })
  try {
    const disposable = { persona: [1, 2], connector: [1] }
    return await verify({ url: server.url, mutating: true, operations, disposable, cases: 1 })
  } finally {
    await server.close()
  }
}

/** All objects in a body. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(objectsIn)
  return Array.isArray(value) ? inner : [value as Record<string, unknown>, ...inner]
}

const agents = 'getPersona,updatePersona'
const emptyLists = (body: unknown, replace: (row: Record<string, unknown>, name: string) => void) => {
  for (const row of objectsIn(body)) {
    for (const [name, value] of Object.entries(row)) if (Array.isArray(value) && value.length === 0) replace(row, name)
  }
}

test.each(['labels', 'groups'])(
  'an agent with null or an object as its %s is a finding, and verify continues',
  async (name) => {
    for (const wrong of [null, {}]) {
      const { findings, checks } = await verified(agents, ({ operation }, { status, body }) => {
        if (operation === 'getPersona' && status === 200) body[name] = wrong
      })
      expect(findings.map(({ check }) => check)).toContain('response_schema_conformance')
      expect(checks.map(({ operation }) => operation)).toContain('updatePersona')
    }
  }
)

test('an agent with a null list that no chosen operation shows is listed as not checked', async () => {
  const { findings, notChecked } = await verified('updatePersona', ({ operation }, { status, body }) => {
    if (operation === 'getPersona' && status === 200) body.labels = null
  })
  expect(findings).toEqual([])
  expect(notChecked.map(({ why }) => why)).toContain('an answer of getPersona breaks the contract')
})

test('records may leave out empty lists that clients give', async () => {
  const { findings } = await verified(`${agents},*Credential`, ({ operation = '' }, { status, body }) => {
    if (/Persona|Credential|PrivateKey/.test(operation) && status === 200)
      emptyLists(body, (row, it) => !/_summaries$/.test(it) && delete row[it])
  })
  expect(findings).toEqual([])
})

test('a record that leaves out a list in one place and writes it empty in another is a finding', async () => {
  const { findings } = await verified(agents, ({ operation, method }, { status, body }) => {
    if (operation === 'updatePersona' && method === 'PATCH' && status === 200)
      emptyLists(body, (row, it) => delete row[it])
  })
  expect(findings.map(({ check }) => check)).toContain('response_schema_conformance')
})

test('the loc of a 422 may call a parameter of the path by another name', async () => {
  const { findings } = await verified('getPersona,linkCredential', (_, { status, body }) => {
    for (const item of status === 422 ? body.detail : []) if (item.loc[0] === 'path') item.loc[1] = 'id'
  })
  expect(findings).toEqual([])
})

test('the loc of a 422 may not call a bad value in the path one in the body', async () => {
  const { findings } = await verified('getPersona', (_, { status, body }) => {
    for (const item of status === 422 ? body.detail : []) if (item.loc[0] === 'path') item.loc = ['body', 'id']
  })
  expect(findings.map(({ check }) => check)).toContain('validation_error_loc')
})

test('a server may put U+FFFD in the place of half of a surrogate pair', async () => {
  const { findings } = await verified('createCredential,getCredential', (_, reply) => {
    for (const row of objectsIn(reply.body))
      if (typeof row.name === 'string') row.name = row.name.replace(/\p{Cs}/gu, '\ufffd')
  })
  expect(findings).toEqual([])
})
