import { faker as english } from '@faker-js/faker/locale/en'
import { extremes } from '../fixtures/awkward/values.js'
import { type FixtureSet, fixtureSets, type Seeded, seedRows } from '../fixtures/index.js'
import { type CollectionRow, createContract } from '../src/contract/contract.js'
import { follow, type Json, type JsonObject, readDocuments } from '../src/contract/load.js'
import { defaultChoices, readLedger } from '../src/mock/assumptions.js'
import { startTestMock, testNow } from './mock.js'

type Row = Record<string, Json>

const contract = createContract(readDocuments(), defaultChoices(readLedger()))
const collections = [...contract.collections.values()]
const now = Date.parse(testNow)
const common = ['admin', 'curator', 'basic'] as const
const mocks = {
  documented: await startTestMock({ fixtures: 'awkward' }),
  observed: await startTestMock({ fixtures: 'awkward', profile: 'observed' })
}

const states: [set: FixtureSet, seed: number, scale: number][] = [
  ...fixtureSets.flatMap((set) => [1, 2, 3, 4, 5].map((seed) => [set, seed, 1] as [FixtureSet, number, number])),
  ['large', 1, 2]
]

describe.each(states)('the set %s, seed %d, scale %d', (set, seed, scale) => {
  const rows = seedRows(set, { seed, scale, now })
  const idsOf = (name: string) => new Set(rowsOf(rows, name).map((row) => row.id))

  test('has every collection of the contract, and no other', () => {
    expect(Object.keys(rows).sort()).toEqual([...contract.collections.keys()].sort())
  })

  test.each(collections)('holds rows of $name that keep their contract, each under an id of its own', (collection) => {
    const list = rowsOf(rows, collection.name)
    const broken = list.flatMap((row) =>
      contract.checkRow(collection, row).problems.map(({ loc, msg }) => `${row.id}: ${loc} ${msg}`)
    )
    expect(broken.slice(0, 5)).toEqual([])
    expect(idsOf(collection.name).size).toBe(list.length)
  })

  test('names only rows that are there', () => {
    const dangling: string[] = []
    for (const { name, references } of collections) {
      for (const [field, target] of Object.entries(references)) {
        const ids = idsOf(target)
        for (const row of rowsOf(rows, name)) {
          for (const id of [row[field]].flat())
            if (id !== null && !ids.has(id as Json)) dangling.push(`${name}.${field}`)
        }
      }
    }
    expect(dangling).toEqual([])
  })

  test('keeps together what has one owner', () => {
    const projects = new Map(rows.projects.map((it) => [it.id, it.user_id]))
    const files = new Map(rows.userFiles.map((it) => [it.id, it.user_id]))
    const strange = [
      ...rows.chatSessions.filter((it) => it.project_id !== null && projects.get(it.project_id) !== it.user_id),
      ...rows.projectFiles.filter((it) => files.get(it.user_file_id) !== projects.get(it.project_id)),
      ...rows.personas.filter((it) => it.user_file_ids.some((id) => files.get(id) !== it.owner_id))
    ]
    expect(strange).toEqual([])
  })

  test('gives sessions only agents that their user may see', () => {
    const personas = new Map(rows.personas.map((it) => [it.id, it]))
    const strange = rows.chatSessions.filter(({ user_id, persona_id }) => {
      const persona = persona_id === null ? undefined : personas.get(persona_id)
      if (!persona || persona.is_public || persona.owner_id === null || persona.owner_id === user_id) return false
      return !persona.user_ids.includes(user_id)
    })
    expect(strange).toEqual([])
  })

  test('associates and links nothing twice, and gives every user a key of its own', () => {
    const pairs = rows.connectorCredentials.map((it) => `${it.connector_id} ${it.credential_id}`)
    const links = rows.projectFiles.map((it) => `${it.project_id} ${it.user_file_id}`)
    const keys = rows.users.map((it) => it.key)
    for (const list of [pairs, links, keys]) expect(new Set(list).size).toBe(list.length)
  })

  test('leaves settled files settled', () => {
    const settled = rows.userFiles.filter((it) => it.status !== 'PROCESSING' && it.status !== 'DELETING')
    expect(settled.filter((it) => it.settles_at !== null || it.settles_as !== it.status)).toEqual([])
  })

  test('lets an administrator, a curator and a basic user in, and has the built-in default agent', () => {
    for (const key of common) {
      expect(rows.users.find((it) => it.key === key)).toMatchObject({ role: key, is_active: true })
    }
    expect(rows.personas.find((it) => it.id === 0)).toMatchObject({
      name: 'Assistant',
      owner_id: null,
      builtin_persona: true,
      is_default_persona: true,
      is_public: true
    })
  })
})

describe.each(fixtureSets)('the set %s', (set) => {
  const textOf = (seed: number, at = now) => JSON.stringify(seedRows(set, { seed, scale: 1, now: at }))

  test('is the same for the same seed and another for another', () => {
    expect(textOf(1)).toBe(textOf(1))
    for (const seed of [0, 2, -1, 2 ** 32 + 1]) expect(textOf(seed) === textOf(1)).toBe(false)
  })

  test('moves all its dates with now, and nothing else', () => {
    const shift = 40 * 86_400_000 + 12_345_678
    expect(textOf(1, now + shift)).toBe(shifted(textOf(1), shift))
  })
})

test('seeding leaves the generator that everybody shares alone', () => {
  english.seed(7)
  const next = english.number.int()
  english.seed(7)
  seedRows('demo', { seed: 1, scale: 1, now })
  expect(english.number.int()).toBe(next)
})

test('the set empty holds three users and one agent', () => {
  const rows = seedRows('empty', { seed: 1, scale: 1, now })
  expect(rows.users.map((it) => it.key)).toEqual(common)
  expect(rows.personas.map((it) => it.id)).toEqual([0])
  expect(count(rows)).toBe(4)
})

describe('the set large', () => {
  const [half, one, ten] = [0.5, 1, 10].map((scale) => seedRows('large', { seed: 1, scale, now })) as Seeded[]

  test('holds about 10,000 rows at scale 1, and in proportion at others', () => {
    for (const [rows, scale] of [
      [half, 0.5],
      [one, 1],
      [ten, 10]
    ] as const) {
      expect(Math.abs(count(rows as Seeded) / (10_000 * scale) - 1)).toBeLessThan(0.05)
    }
  })

  test('gives the administrator 2000 sessions and others 500 at scale 1', () => {
    const { users, chatSessions } = one as Seeded
    const countOf = (key: string) =>
      chatSessions.filter((it) => it.user_id === users.find((user) => user.key === key)?.id).length
    expect(common.map(countOf)).toEqual([2000, 500, 500])
  })
})

describe('the set awkward', () => {
  const rows = seedRows('awkward', { seed: 1, scale: 1, now })
  const text = JSON.stringify(rows)
  const fields = collections.flatMap((collection) =>
    fieldsOf(collection).map((field) => ({
      ...field,
      collection: collection.name,
      path: `${collection.name}.${field.name}`
    }))
  )
  const valuesOf = (collection: string, name: string) => rowsOf(rows, collection).map((row) => row[name] as Json)

  test.each(fields.filter((it) => it.types.includes('null')))('has null in $path', ({ collection, name }) => {
    expect(valuesOf(collection, name)).toContain(null)
  })

  test.each(fields.filter((it) => it.types.includes('array')))('has an empty $path', ({ collection, name }) => {
    expect(valuesOf(collection, name)).toContainEqual([])
  })

  test.each(fields.filter((it) => it.types.includes('object')))('has an empty $path', ({ collection, name }) => {
    expect(valuesOf(collection, name)).toContainEqual({})
  })

  test.each(fields.filter((it) => it.isText))('has no, long and strange text in $path', ({ collection, name }) => {
    const values = valuesOf(collection, name) as string[]
    expect(values).toEqual(expect.arrayContaining(['', '__proto__', '<script>alert("name")</script>']))
    expect(values.some((it) => it?.length === 10_000)).toBe(true)
    for (const kind of [/\p{Script=Arabic}/u, /\p{Emoji_Presentation}/u, /\p{Mn}/u, /\u200B/, /"/, /'/]) {
      expect(values.some((it) => it && kind.test(it))).toBe(true)
    }
    expect(values.filter((it) => it === 'The same name').length).toBeGreaterThan(1)
  })

  test('has numbers and dates at their edges', () => {
    for (const value of [0, -1, 2 ** 31, 2 ** 53 - 1]) {
      expect(valuesOf('tokenRateLimits', 'token_budget')).toContain(value)
      expect(valuesOf('connectorCredentials', 'docs_indexed')).toContain(value)
    }
    expect(valuesOf('chatSessions', 'current_temperature_override')).toContain(0)
    for (const date of extremes) expect(valuesOf('chatSessions', 'time_created')).toContain(date)
  })

  test('has agents with negative ids, and keys of objects that objects have already', () => {
    expect(rows.personas.filter((it) => it.id < 0).length).toBeGreaterThan(1)
    expect(text).toContain('"__proto__":{"admin":true}')
    expect(rows.users.map((it) => it.key)).toContain('__proto__')
  })

  test('leaves room for the next id wherever callers can add rows', () => {
    for (const name of ['credentials', 'connectorCredentials', 'projectFiles', 'invites'] as const) {
      expect(Math.max(...rows[name].map((it) => it.id))).toBeLessThan(2 ** 31)
    }
  })
})

describe('the service over the set awkward', () => {
  test.each(['documented', 'observed'] as const)(
    'answers every read within its contract under the profile %s',
    async (profile) => {
      const mock = mocks[profile]
      const { rows } = mock.sandbox
      const paths = [
        ...[...rows.personas.all()].map((it) => `/api/persona/${it.id}`),
        ...[...rows.credentials.all()].map((it) => `/api/manage/credential/${it.id}`),
        ...[...rows.connectors.all()].map((it) => `/api/manage/connector/${it.id}`),
        ...[...rows.userFiles.all()].map((it) => `/api/user/projects/file/${it.id}`),
        ...[...rows.projects.all()].map((it) => `/api/user/projects/${it.id}/details`),
        '/api/user/projects/',
        '/api/chat/get-user-chat-sessions?page_size=100',
        '/api/chat/search?page_size=100',
        '/api/chat/search?query=__proto__',
        '/api/manage/admin/credential',
        '/api/manage/admin/similar-credentials/web'
      ]
      const broken: string[] = []
      for (const as of common) {
        const answers = [
          ...(await Promise.all(paths.map(async (path) => ({ path, ...(await mock.call('GET', path, { as })) })))),
          ...(await Promise.all(
            [{}, { secondary_index: true }, { get_all_connectors: true }].map(async (body) => ({
              path: 'E16',
              ...(await mock.call('POST', '/api/manage/admin/connector/indexing-status', { as, body }))
            }))
          ))
        ]
        broken.push(...answers.filter((it) => it.status >= 500).map((it) => `${it.path}: ${it.text.slice(0, 200)}`))
        expect(answers.filter((it) => it.status === 200).length).toBeGreaterThan(50)
      }
      expect(broken).toEqual([])
    }
  )
})

function rowsOf(rows: Seeded, name: string): Row[] {
  return rows[name as keyof Seeded] as unknown as Row[]
}

function count(rows: Seeded): number {
  return Object.values(rows).reduce((sum, list) => sum + list.length, 0)
}

/** JSON with every moment moved, but the two that stand for the edges of time. */
function shifted(json: string, by: number): string {
  return json.replace(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g, (whole, moment) =>
    extremes.includes(moment) ? whole : JSON.stringify(new Date(Date.parse(moment) + by).toISOString())
  )
}

/** The fields of a collection's rows, with the types that the contract allows them. */
function fieldsOf({ row, references }: CollectionRow): { name: string; types: Json[]; isText: boolean }[] {
  return Object.entries(target(row).properties as JsonObject).map(([name, property]) => {
    const { type = [], format, enum: values, pattern } = target(property as JsonObject)
    const types = [type].flat()
    return { name, types, isText: types.includes('string') && !format && !values && !pattern && !(name in references) }
  })
}

function target(schema: JsonObject): JsonObject {
  return typeof schema.$ref === 'string' ? target(follow(contract.documents, schema.$ref) as JsonObject) : schema
}
