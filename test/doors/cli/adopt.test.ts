import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adoptCommand } from '../../../src/doors/cli/adopt.js'
import { createMock } from '../../../src/doors/program/mock.js'
import { openapi } from '../../../src/doors/program/openapi.js'
import { packageRoot } from '../../../src/engine/contract/load.js'
import { ready, startIn } from '../../cli.js'
import { invoke } from '../../invoke.js'

const main = join(packageRoot(), 'dist/main.js')
const adopting = (folder: string, ...args: string[]) => invoke(adoptCommand(), args, { folder })

// biome-ignore lint/suspicious/noExplicitAny: a document of any form
type Any = any
const ok = (schema: object) => ({ 200: { description: 'ok', content: { 'application/json': { schema } } } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const object = (properties: object, required = Object.keys(properties)) => ({ type: 'object', properties, required })
const text = { type: 'string' }
const integer = { type: 'integer' }
const id = { name: 'team_id', in: 'path', required: true, schema: integer }

/** A service's own document: the operations of the platform as an observed service has them, and others. */
function serviceDocument(): Any {
  const { paths, components, info } = openapi({ profile: 'observed' }) as Any
  return {
    openapi: '3.1.0',
    info,
    paths: {
      ...paths,
      '/api/persona': { get: { operationId: 'list_agents', responses: ok({ type: 'array', items: ref('Agent') }) } },
      '/api/user/files/recent': {
        get: {
          operationId: 'recent_files',
          responses: ok({
            type: 'array',
            items: paths['/api/user/projects/file/{file_id}'].get.responses[200].content['application/json'].schema
          })
        }
      },
      '/api/manage/users/accepted': {
        get: {
          operationId: 'accepted',
          responses: ok(object({ items: { type: 'array', items: ref('Member') }, total_items: integer }))
        }
      },
      '/api/manage/document-set': {
        get: { operationId: 'sets', responses: ok({ type: 'array', items: ref('Described') }) }
      },
      '/api/admin/token-rate-limits/users': {
        get: { operationId: 'limits', responses: ok({ type: 'array', items: ref('Limit') }) }
      },
      '/api/me': { get: { operationId: 'me', responses: ok(ref('Member')) } },
      '/auth/login': {
        post: {
          operationId: 'auth:login',
          requestBody: {
            required: true,
            content: { 'application/x-www-form-urlencoded': { schema: object({ username: text, password: text }) } }
          },
          responses: { 204: { description: 'No Content' } }
        }
      },
      '/auth/oauth/authorize': { get: { operationId: 'authorize', responses: ok({}) } },
      '/auth/oauth/callback': {
        get: { operationId: 'back', parameters: [{ name: 'code', in: 'query', schema: text }], responses: ok({}) }
      },
      '/api/teams': {
        get: { operationId: 'list_teams', responses: ok({ type: 'array', items: ref('Team') }) },
        post: {
          operationId: 'add_team',
          requestBody: { required: true, content: { 'application/json': { schema: object({ name: text }) } } },
          responses: ok(ref('Team'))
        }
      },
      '/api/teams/{team_id}': {
        get: { operationId: 'get_team', parameters: [id], responses: ok(ref('Team')) },
        delete: { operationId: 'drop_team', parameters: [id], responses: ok({ type: 'null' }) }
      },
      '/api/settings': { get: { operationId: 'settings', responses: ok(object({ scroll: { type: 'boolean' } })) } },
      '/api/send': {
        post: {
          operationId: 'send',
          responses: { 200: { description: 'ok', content: { 'application/x-ndjson': {} } } }
        }
      }
    },
    components: {
      schemas: {
        ...components.schemas,
        Agent: object({ id: integer, name: text, description: text }),
        Member: object({ id: { ...text, format: 'uuid' }, email: text, role: text }),
        Limit: object({ id: integer, token_budget: integer, period_hours: integer }),
        Described: object({ id: integer, name: text, description: text }),
        Team: object({ id: integer, name: text })
      }
    }
  }
}

/** A new folder with a document. */
function folderWith(document: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'kcm-adopt-'))
  writeFileSync(join(folder, 'api.json'), JSON.stringify(document))
  return folder
}

/** A mock with an adopted folder, and a function that sends requests to it as a user. */
function adopted(folder: string, options: object = {}) {
  const mock = createMock({ with: [join(folder, 'mock')], onProblem: () => {}, ...options })
  const ask = async (path: string, init: RequestInit & { as?: string } = {}): Promise<Any> => {
    const headers = { Authorization: `Bearer ${init.as ?? 'admin'}`, ...init.headers }
    const response = await mock.fetch(`http://mock${path}`, { ...init, headers })
    const body = await response.text()
    return { status: response.status, body: body === '' ? undefined : JSON.parse(body), headers: response.headers }
  }
  return { mock, ask }
}

const filter = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: '{"docs_count_operator": null}'
}

describe('a service’s document', () => {
  const folder = folderWith(serviceDocument())
  let output = ''

  beforeAll(async () => {
    const before = readFileSync(join(folder, 'api.json'), 'utf8')
    const { code, stdout, stderr } = await adopting(folder, 'api.json')
    expect([code, stderr]).toEqual([0, ''])
    output = stdout
    expect(readFileSync(join(folder, 'api.json'), 'utf8')).toBe(before)
  })

  test('is compared with the contract, and each contradiction comes with the choice that follows it', async () => {
    expect(output).toMatch(/^api\.json has 30 operations of the contract, and contradicts it in \d+ places\./)
    expect(output).toMatch(
      /\nPOST \/api\/manage\/admin\/connector\/indexing-status\n( {2}.+\n)* {2}.*request body docs_count_operator.*: requests\.null=observed\n/
    )
    expect(output).toMatch(/response 200 owner: responses\.null=null\n/)
    expect(output).toMatch(/response 200 num_chunks, was integer, is number: persona\.num-chunks=number\n/)
    expect(output).not.toContain('no choice follows it')
    const choices = JSON.parse(readFileSync(join(folder, 'mock/assumptions.json'), 'utf8'))
    expect(choices).toMatchObject({ 'requests.null': 'observed', 'responses.null': 'null' })
  })

  test('gets a collection for each path that looks like one, and its detail finds the rows', async () => {
    const { ask, mock } = adopted(folder)
    const agents = (await ask('/api/persona')).body
    expect(output).toContain(`GET /api/persona looks like personas: ${agents.length} rows; view getPersona\n`)
    for (const { id, name } of agents) expect((await ask(`/api/persona/${id}`)).body).toMatchObject({ id, name })
    const files = (await ask('/api/user/files/recent')).body
    expect(output).toMatch(/GET \/api\/user\/files\/recent looks like userFiles: \d+ rows; view getFile\n/)
    const [file] = files
    expect((await ask(`/api/user/projects/file/${file.id}`)).body).toMatchObject({ id: file.id, name: file.name })
    const users = (await ask('/api/manage/users/accepted')).body
    expect(users.items.map(({ email }: Any) => email)).toContain('ada@example.com')
    expect(output).toContain(`GET /api/manage/users/accepted looks like users: ${users.total_items} rows\n`)
    expect(output).toContain('GET /api/teams looks like teams: 10 rows\n')
    expect(output).toMatch(/GET \/api\/admin\/token-rate-limits\/users looks like tokenRateLimits: \d+ rows\n/)
    expect((await ask('/api/admin/token-rate-limits/users')).headers.get('x-mock-source')).toBe('collection')
    const body = '{"name": "Growers"}'
    const made = await ask('/api/teams', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    expect(made.body.name).toBe('Growers')
    expect((await ask('/api/teams')).body).toContainEqual(made.body)
    expect((await ask(`/api/teams/${made.body.id}`, { method: 'DELETE' })).body).toBe(null)
    expect((await ask(`/api/teams/${made.body.id}`)).status).toBe(404)
    // Rows have null where this document does not allow it.
    const sets = (await ask('/api/manage/document-set')).body
    expect(sets).toHaveLength(mock.sandbox().rows('documentSets').length)
    expect(sets.map(({ description }: Any) => typeof description)).not.toContain('object')
    const violations = mock.sandbox().requests({ violations: true })
    expect(violations).toEqual([])
    await mock.close()
  })

  test('shows the calling user, and signs in, without a rule', async () => {
    const { ask, mock } = adopted(folder, { tokenCookie: 'session' })
    expect(output).toContain('GET /api/me shows the calling user\n')
    expect(output).toContain('POST /auth/login signs in\n')
    expect(output).toContain('GET /auth/oauth/authorize redirects to /auth/oauth/callback\n')
    const reply = await ask('/auth/oauth/authorize', { as: 'curator' })
    const back = await ask(reply.headers.get('location'))
    expect([back.status, back.headers.get('set-cookie')]).toEqual([302, expect.stringContaining('session=curator')])
    expect((await ask('/api/me', { as: 'basic' })).body).toMatchObject({ email: 'tom@example.com', role: 'basic' })
    const form = { method: 'POST', body: new URLSearchParams({ username: 'basic', password: 'x' }) }
    expect((await ask('/auth/login', form)).headers.get('set-cookie')).toContain('session=basic')
    await mock.close()
  })

  test('keeps the null that it allows, unless an option says otherwise', async () => {
    const status = async (options: object) => {
      const { ask, mock } = adopted(folder, options)
      const answer = await ask('/api/manage/admin/connector/indexing-status', filter)
      await mock.close()
      return answer.status
    }
    expect(await status({})).toBe(200)
    expect(await status({ assume: { 'requests.null': 'refused' } })).toBe(422)
  })

  test('gets a place for the rule of each answer that would be invented, and such a rule answers', async () => {
    const file = join(folder, 'mock/rules.js')
    const rules = readFileSync(file, 'utf8')
    expect(rules).toContain('// GET /api/settings\n  // settings: (')
    expect(rules).toContain('// POST /api/send\n  // *send(')
    expect(rules).not.toMatch(/list_agents|get_team|auth:login/)
    const { ask, mock } = adopted(folder)
    expect((await ask('/api/settings')).headers.get('x-mock-source')).toBe('invented')
    await mock.close()
    writeFileSync(file, rules.replace(/\/\/ settings: .*/, 'settings: () => ({ scroll: true }),'))
    const again = adopted(folder)
    expect((await again.ask('/api/settings')).body).toEqual({ scroll: true })
    await again.mock.close()
  })

  test('is adopted again without changes to written files, unless --force is given', async () => {
    writeFileSync(join(folder, 'mock/rules.js'), '// mine')
    const kept = await adopting(folder, 'api.json', 'mock')
    expect([kept.code, readFileSync(join(folder, 'mock/rules.js'), 'utf8')]).toEqual([0, '// mine'])
    expect(kept.stdout).toContain('mock/rules.js: kept, because it exists. --force overwrites it\n')
    const forced = await adopting(folder, 'api.json', 'mock', '--force')
    expect([forced.code, readFileSync(join(folder, 'mock/rules.js'), 'utf8')]).toEqual([
      0,
      expect.stringContaining('// GET /api/settings')
    ])
  })

  test('is checked against the contract when the mock starts with it, until it is adopted', async () => {
    const hints = async (source: string) => {
      const child = startIn(folder, [main, 'serve', '--port', '0', '--with', source], {})
      let text = ''
      // The hints end with the address of the document.
      const all = new Promise<void>((resolve) =>
        child.stderr?.on('data', (chunk) => {
          text += chunk
          if (text.includes('OpenAPI')) resolve()
        })
      )
      await Promise.all([ready(child), all])
      child.kill()
      return text
    }
    expect(await hints('api.json')).toMatch(
      /adopt +api\.json has \d+ contradictions with the contract: knowledge-chat-mock adopt api\.json\n/
    )
    expect(await hints('mock')).not.toContain('contradictions')
  })
})

test('a document that deletes with 204 gets the choice for it', async () => {
  const document = serviceDocument()
  const path = '/api/admin/tool/custom/{tool_id}'
  const { 200: _, ...others } = document.paths[path].delete.responses
  const operation = { ...document.paths[path].delete, responses: { ...others, 204: { description: 'Deleted' } } }
  const folder = folderWith({ ...document, paths: { [path]: { delete: operation } } })
  const { stdout } = await adopting(folder, 'api.json')
  expect(stdout).toMatch(/\n {2}.*response 204.*: delete\.body=204\n/)
  expect(JSON.parse(readFileSync(join(folder, 'mock/assumptions.json'), 'utf8'))).toEqual({ 'delete.body': '204' })
})

test('keeps the operations of the platform if the document has few of them', async () => {
  const { paths, components, ...rest } = serviceDocument()
  const few = ['/api/persona', '/api/persona/{persona_id}', '/api/me']
  const folder = folderWith({
    ...rest,
    paths: Object.fromEntries(few.map((path) => [path, paths[path]])),
    components
  })
  const { code, stdout } = await adopting(folder, 'api.json')
  expect([code, stdout]).toEqual([0, expect.stringContaining('api.json has 3 operations of the contract')])
  const { ask, mock } = adopted(folder)
  const [agent] = (await ask('/api/persona')).body
  expect((await ask(`/api/persona/${agent.id}`)).headers.get('x-mock-source')).toBe('rule')
  await mock.close()
})

test('a document that allows null in only one field gets a choice for this field, and the rest is reported', async () => {
  const document = openapi() as Any
  const { requestBody } = document.paths['/api/chat/create-chat-session'].post
  const { schema } = requestBody.content['application/json']
  schema.properties.description = { anyOf: [schema.properties.description, { type: 'null' }] }
  Object.assign(schema, { properties: { ...schema.properties, colour: text }, required: ['colour'] })
  document.paths['/api/get-user-role'].get.responses[200].content['application/json'].schema.properties.role = text
  const folder = folderWith(document)
  const { stdout } = await adopting(folder, 'api.json')
  expect(stdout).toContain('request body description: requests.null=fields:createChatSession.description\n')
  expect(stdout).toContain('  new-required-request-property: request body colour: no choice follows it\n')
  expect(stdout).toContain('and contradicts it in 3 places. 2 choices of the ledger follow it, except in 1:\n')
  expect(JSON.parse(readFileSync(join(folder, 'mock/assumptions.json'), 'utf8'))).toEqual({
    'requests.null': 'fields:createChatSession.description',
    'roles.values': 'any'
  })
})

test('a folder, an address and a missing document are refused, and nothing is written', async () => {
  const folder = folderWith({ swagger: '2.0' })
  for (const given of ['.', 'https://example.com/api.json', 'none.json', 'api.json']) {
    const { code, stderr } = await adopting(folder, given)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: /)])
  }
  expect(existsSync(join(folder, 'mock'))).toBe(false)
})

const things = object({ id: integer, name: text })
/** A document with a list and rows below each of some paths. */
function documentWith(paths: string[], schema: object = things): Any {
  const operations = paths.map((path) => [
    [path, { get: { responses: ok({ type: 'array', items: ref('Row') }) } }],
    [`${path}/{id}`, { get: { responses: ok(ref('Row')) } }]
  ])
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: Object.fromEntries(operations.flat()),
    components: { schemas: { Row: schema } }
  }
}

test('a second run names the paths that the kept overlay does not mark, with the lines that mark them', async () => {
  const folder = folderWith(documentWith(['/api/teams']))
  await adopting(folder, 'api.json')
  expect((await adopting(folder, 'api.json')).stdout).not.toContain('new: ')
  writeFileSync(join(folder, 'api.json'), JSON.stringify(documentWith(['/api/teams', '/api/gizmos'])))
  const { stdout } = await adopting(folder, 'api.json')
  expect(stdout).toContain('mock/overlay.yaml marks 2 of 4 operations that look like something.\n')
  expect(stdout).toContain('new: GET /api/gizmos looks like gizmos: 10 rows\nadd to mock/overlay.yaml:\n')
  expect(stdout).not.toContain('new: GET /api/teams')
  const [, lines] = /add to mock\/overlay\.yaml:\n((?: {2}.*\n)+)/.exec(stdout) as unknown as [string, string]
  const overlay = join(folder, 'mock/overlay.yaml')
  writeFileSync(overlay, readFileSync(overlay, 'utf8') + lines)
  const { ask, mock } = adopted(folder)
  expect((await ask('/api/gizmos')).body).toHaveLength(10)
  await mock.close()
})

test.each([
  ['rules', 'rules.ts', 'rules.js', ''],
  ['overlay', 'overlay.json', 'overlay.yaml', '{"overlay": "1.0.0", "extends": "../api.json", "actions": []}']
])('%s under another ending stay, and two files of one kind are refused', async (_, own, written, content) => {
  const folder = folderWith(documentWith(['/api/teams']))
  const mock = join(folder, 'mock')
  mkdirSync(mock)
  writeFileSync(join(mock, own), content)
  for (const args of [[], ['--force']]) {
    const { code, stdout } = await adopting(folder, 'api.json', ...args)
    expect([code, stdout]).toEqual([0, expect.stringContaining(`mock/${own}: kept, because it exists\n`)])
    expect(existsSync(join(mock, written))).toBe(false)
  }
  writeFileSync(join(mock, written), content)
  const { code, stderr } = await adopting(folder, 'api.json')
  expect([code, stderr]).toEqual([2, expect.stringMatching(`${written}.*${own}|${own}.*${written}`)])
  expect(() => createMock({ with: [mock] })).toThrow('Keep one.')
})

test.each<[string, Record<string, object>]>([
  ['two that are each other', { A: ref('B'), B: ref('A') }],
  ['one that is itself', { A: ref('A') }],
  ['all of itself', { A: { allOf: [ref('A')], properties: { id: integer } } }],
  ['itself or null', { A: { anyOf: [ref('A'), { type: 'null' }] } }]
])('schemas in a circle, %s, are adopted as serve reads them', async (_, schemas) => {
  const folder = folderWith({
    ...documentWith(['/api/teams'], ref('A')),
    components: { schemas: { Row: ref('A'), ...schemas } }
  })
  const { code, stdout } = await adopting(folder, 'api.json')
  expect([code, stdout]).toEqual([0, expect.stringContaining('is composed of itself')])
  const { ask, mock } = adopted(folder)
  expect((await ask('/api/teams')).status).toBe(200)
  await mock.close()
})

test('a path with quotes and backslashes is marked', async () => {
  const folder = folderWith(documentWith(["/api/o'things", '/api/a\\b']))
  await adopting(folder, 'api.json')
  const { ask, mock } = adopted(folder)
  expect((await ask("/api/o'things")).headers.get('x-mock-source')).toBe('collection')
  await mock.close()
})

test.each([
  [['/proc/nope'], '/proc/nope cannot be created (ENOENT)'],
  [['api.json'], 'api.json is a file: give a folder.'],
  [['api.json/x'], 'api.json/x cannot be created (ENOTDIR)'],
  [['other'], 'other/openapi.yaml is in this folder'],
  [['bad'], 'bad/overlay.yaml is not a file']
])('the folder %j gets an error with its path', async (args, error) => {
  const folder = folderWith(documentWith(['/api/teams']))
  mkdirSync(join(folder, 'other'))
  mkdirSync(join(folder, 'bad/overlay.yaml'), { recursive: true })
  writeFileSync(join(folder, 'other/openapi.yaml'), '')
  const { code, stderr } = await adopting(folder, 'api.json', ...args)
  expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${error}`)])
})

test.each([
  ['.', '--with .'],
  ['my mock', "--with 'my mock'"]
])('the folder %s is named as a shell takes it', async (name, words) => {
  const { stdout } = await adopting(folderWith(documentWith(['/api/teams', '/v1/things'])), 'api.json', name)
  expect(stdout.endsWith(`Start it: knowledge-chat-mock ${words}\n`)).toBe(true)
  expect(stdout).toContain('Let your dev server forward /api, /v1, /__mock\n')
})

test('rows of a tree can be added, and are at its top or below a row', async () => {
  const tree = (parent: object) =>
    object({ id: integer, name: text, parent_id: parent, children: { type: 'array', items: ref('Row') } }, [
      'id',
      'name',
      'parent_id'
    ])
  for (const [parent, shown] of [
    [{ anyOf: [integer, { type: 'null' }] }, null],
    [integer, 1]
  ] as const) {
    const document = documentWith(['/api/folders'], tree(parent))
    const content = { 'application/json': { schema: object({ name: text }) } }
    document.paths['/api/folders'].post = { requestBody: { content }, responses: ok(ref('Row')) }
    const folder = folderWith(document)
    await adopting(folder, 'api.json')
    const { ask, mock } = adopted(folder)
    const headers = { 'Content-Type': 'application/json' }
    const made = await ask('/api/folders', { method: 'POST', headers, body: '{"name": "New"}' })
    expect(made.body).toMatchObject({ name: 'New', parent_id: shown })
    const rows = (await ask('/api/folders')).body
    expect(rows).toContainEqual(made.body)
    expect(new Set(rows.map((it: Any) => it.parent_id))).toEqual(new Set([shown]))
    await mock.close()
  }
})

test('a list of the platform’s users shows only roles that the document allows', async () => {
  const user = object({ id: text, email: text, role: { enum: ['basic', 'admin'] }, is_active: { type: 'boolean' } })
  const folder = folderWith(documentWith(['/api/members'], user))
  await adopting(folder, 'api.json')
  const { ask, mock } = adopted(folder)
  const { body, headers } = await ask('/api/members')
  expect([new Set(body.map((it: Any) => it.role)), headers.get('x-mock-violations')]).toEqual([
    new Set(['basic', 'admin']),
    null
  ])
  expect(body.find((it: Any) => it.email === 'ada@example.com').role).toBe('admin')
  await mock.close()
})

describe('rows of the platform', () => {
  const agent = object({ id: integer, name: text, description: text, is_public: { type: 'boolean' } })
  const user = object({ id: text, email: text, role: { enum: ['basic', 'admin'] }, is_active: { type: 'boolean' } })
  const file = object({ id: text, name: text, file_id: text, status: text, token_count: integer, chunk_count: integer })
  test.each([
    ['/api/agents', agent, 'personas'],
    ['/api/members', user, 'users'],
    ['/api/files', file, 'userFiles'],
    ['/api/orders', object({ id: integer, name: text, description: text, created_at: text, status: text }), 'orders'],
    ['/api/contacts', object({ id: integer, name: text, email: text }), 'contacts']
  ])('%s is recognised by its name or its fields', async (path, schema, name) => {
    const { stdout } = await adopting(folderWith(documentWith([path], schema)), 'api.json')
    expect(stdout).toContain(`GET ${path} looks like ${name}: `)
    const isSaid = /\n {2}api\.json does not allow the role .*curator.* of some rows: they show another\n/.test(stdout)
    expect(isSaid).toBe(name === 'users')
  })
})
