import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { faker as english } from '@faker-js/faker/locale/en'
import { extremes } from '../fixtures/awkward/values.js'
import { words } from '../fixtures/company/topics.js'
import { workspaces } from '../fixtures/company/workspaces.js'
import { type FixtureSet, fixtureSets, type Seeded, seedRows } from '../fixtures/index.js'
import { datedRows, keptRows } from '../fixtures/kept.js'
import { Maker } from '../fixtures/maker.js'
import { createContract } from '../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../src/engine/contract/ledger.js'
import { follow, type Json, type JsonObject, packageRoot, readDocuments } from '../src/engine/contract/load.js'
import type { CollectionRow } from '../src/engine/contract/model.js'
import { isSample } from './extent.js'
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

const seeds = isSample ? [1, 2] : [1, 2, 3, 4, 5]
const states: [set: FixtureSet, seed: number, scale: number][] = [
  ...fixtureSets.flatMap((set) => seeds.map((seed) => [set, seed, 1] as [FixtureSet, number, number])),
  ['large', 1, isSample ? 0.1 : 2]
]

test('the rows that the build stores equal those that are made at any other time', () => {
  const made = (moment: number) => seedRows('demo', { seed: 1, scale: 1, now: moment })
  const kept = JSON.stringify(keptRows(made(now), now))
  for (const moment of [now, Date.UTC(2024, 1, 29, 23), Date.UTC(2031, 11, 31, 0, 0, 1)]) {
    expect(JSON.stringify(datedRows(JSON.parse(kept), moment))).toBe(JSON.stringify(made(moment)))
  }
})

describe.each(states)('the set %s, seed %d, scale %d', (set, seed, scale) => {
  const rows = seedRows(set, { seed, scale, now })
  const idsOf = (name: string) => new Set(rowsOf(rows, name).map((row) => row.id))

  test('has every collection of the contract, and no other', () => {
    expect(Object.keys(rows).sort()).toEqual([...contract.collections.keys()].sort())
  })

  test.each(collections)('has rows of $name that satisfy their contract, each with a unique id', (collection) => {
    const list = rowsOf(rows, collection.name)
    const broken = list.flatMap((row) =>
      contract.checkRow(collection, row).problems.map(({ loc, msg }) => `${row.id}: ${loc} ${msg}`)
    )
    expect(broken.slice(0, 5)).toEqual([])
    expect(idsOf(collection.name).size).toBe(list.length)
  })

  test('refers only to existing rows', () => {
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

  test('keeps rows with one owner together', () => {
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

  test('associates and links nothing twice, and gives every user a unique key', () => {
    const pairs = rows.connectorCredentials.map((it) => `${it.connector_id} ${it.credential_id}`)
    const links = rows.projectFiles.map((it) => `${it.project_id} ${it.user_file_id}`)
    const keys = rows.users.map((it) => it.key)
    for (const list of [pairs, links, keys]) expect(new Set(list).size).toBe(list.length)
  })

  test('leaves settled files unchanged', () => {
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

describe.each(states.filter(([set]) => set !== 'awkward'))(
  'a visitor of the set %s, seed %d, scale %d',
  (set, seed, scale) => {
    const rows = seedRows(set, { seed, scale, now })
    const all = Object.entries(rows) as unknown as [string, Row[]][]
    const users = new Map(rows.users.map((it) => [it.id, it]))
    const mayMake = (id: string | null) => id === null || /admin|curator/.test(users.get(id)?.role ?? '')

    test('has no event before its cause, or in the future', () => {
      const orders = [
        ['time_created', 'time_updated'],
        ['created_at', 'last_accessed_at'],
        ['time_created', 'starts_at'],
        ['starts_at', 'settles_at']
      ] as const
      const happened = [
        'time_created',
        'time_updated',
        'created_at',
        'last_accessed_at',
        'last_success',
        'linked_at',
        'invited_at'
      ]
      const strange = all.flatMap(([name, list]) =>
        list.filter(
          (row) =>
            orders.some(([first, then]) => row[first] && row[then] && (row[then] as string) < (row[first] as string)) ||
            happened.some((field) => row[field] && Date.parse(row[field] as string) > now && name !== 'indexAttempts')
        )
      )
      expect(strange.slice(0, 3)).toEqual([])
      const pairs = new Map(rows.connectorCredentials.map((it) => [it.id, it]))
      const connectors = new Map(rows.connectors.map((it) => [it.id, it]))
      const early = rows.indexAttempts.filter((it) => {
        const connector = connectors.get(pairs.get(it.connector_credential_id)?.connector_id ?? Number.NaN)
        return it.time_created < (connector?.time_created ?? '')
      })
      expect(early).toEqual([])
    })

    test('has no time twice in a list', () => {
      for (const list of [rows.chatSessions.map((it) => it.time_created), rows.userFiles.map((it) => it.created_at)]) {
        expect(new Set(list).size).toBeGreaterThan(list.length * 0.99 - 1)
      }
    })

    test('repeats no word in a row, and has no placeholders, and one customer for each project', () => {
      const texts = [...rows.chatSessions, ...rows.projects, ...rows.userFiles, ...rows.personas].flatMap((it) => [
        it.name ?? ''
      ])
      expect(texts.filter((text) => /\b(\w+) \1\b/i.test(text) || /[{}]/.test(text))).toEqual([])
      // These were written by hand.
      const own = new Set(Object.values(workspaces).flatMap((it) => it.projects.map(({ name }) => name)))
      for (const project of rows.projects) {
        const text = [project.name, project.description, project.instructions].join(' ')
        for (const kind of ['customer', 'product', 'version', 'place'] as const) {
          const named = words[kind].filter((word) => text.includes(word))
          if (!own.has(project.name)) expect([text, named.slice(1)]).toEqual([text, []])
        }
      }
    })

    test('gives credentials and tools only owners who may create them', () => {
      expect(rows.credentials.filter((it) => !mayMake(it.user_id))).toEqual([])
      expect(rows.tools.filter((it) => !mayMake(it.user_id))).toEqual([])
    })

    test('has agents that work: with tools that are on, few with a start date of their search', () => {
      const tools = new Map(rows.tools.map((it) => [it.id, it]))
      const isOff = (id: number) => !tools.get(id)?.enabled || !tools.get(id)?.agent_creation_selectable
      expect(rows.personas.filter((it) => it.is_visible && it.tool_ids.some(isOff))).toEqual([])
      expect(rows.personas.filter((it) => it.search_start_date === null).length).toBeGreaterThan(
        rows.personas.length / 2
      )
    })

    test('has files with consistent counts', () => {
      for (const { name, token_count, chunk_count } of rows.userFiles) {
        const fits = token_count === null ? chunk_count === null : Math.ceil(token_count / 512) === chunk_count
        expect([name, token_count, chunk_count, fits]).toEqual([name, token_count, chunk_count, true])
      }
    })

    test('has connectors of one source with different settings, if a set has names for them', () => {
      if (set !== 'demo') return
      const setups = rows.connectors.map((it) => `${it.source} ${JSON.stringify(it.connector_specific_config)}`)
      expect(new Set(setups).size).toBe(setups.length)
      expect(new Set(rows.connectors.map((it) => it.name)).size).toBe(rows.connectors.length)
    })

    test('has no rhythm for sources that receive documents directly', () => {
      const pushed = rows.connectors.filter((it) => /^(file|user_file|ingestion_api)$/.test(it.source))
      expect(pushed.filter((it) => it.refresh_freq !== null || it.prune_freq !== null)).toEqual([])
    })
  }
)

describe.each(fixtureSets)('the set %s', (set) => {
  const textOf = (seed: number, at = now) => JSON.stringify(seedRows(set, { seed, scale: isSample ? 0.1 : 1, now: at }))

  test('is the same for the same seed and different for another', () => {
    expect(textOf(1)).toBe(textOf(1))
    for (const seed of [0, 2, -1, 2 ** 32 + 1]) expect(textOf(seed) === textOf(1)).toBe(false)
  })

  test('moves all its dates with now, and nothing else', () => {
    const shift = 40 * 86_400_000 + 12_345_678
    expect(textOf(1, now + shift)).toBe(shifted(textOf(1), shift))
  })
})

test('seeding does not change the shared generator', () => {
  english.seed(7)
  const next = english.number.int()
  english.seed(7)
  seedRows('demo', { seed: 1, scale: 1, now })
  expect(english.number.int()).toBe(next)
})

test('the set empty has three users and one agent', () => {
  const rows = seedRows('empty', { seed: 1, scale: 1, now })
  expect(rows.users.map((it) => it.key)).toEqual(common)
  expect(rows.personas.map((it) => it.id)).toEqual([0])
  expect(count(rows)).toBe(4)
})

const most = isSample ? 2 : 10
const [half, one, many] = [0.5, 1, most].map((scale) => seedRows('large', { seed: 1, scale, now })) as Seeded[]

test('the set large has about 10,000 rows at scale 1, and in proportion at others', () => {
  for (const [rows, scale] of [
    [half, 0.5],
    [one, 1],
    [many, most]
  ] as const) {
    expect(Math.abs(count(rows as Seeded) / (10_000 * scale) - 1)).toBeLessThan(0.05)
  }
})

test('the set large gives the administrator 2000 sessions and others 500 at scale 1', () => {
  const { users, chatSessions } = one as Seeded
  const countOf = (key: string) =>
    chatSessions.filter((it) => it.user_id === users.find((user) => user.key === key)?.id).length
  expect(common.map(countOf)).toEqual([2000, 500, 500])
})

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

test.each(fields.filter((it) => it.types.includes('null')))(
  'the set awkward has null in $path',
  ({ collection, name }) => {
    expect(valuesOf(collection, name)).toContain(null)
  }
)

test.each(fields.filter((it) => it.types.includes('array')))(
  'the set awkward has an empty $path',
  ({ collection, name }) => {
    expect(valuesOf(collection, name)).toContainEqual([])
  }
)

test.each(fields.filter((it) => it.types.includes('object')))(
  'the set awkward has an empty $path',
  ({ collection, name }) => {
    expect(valuesOf(collection, name)).toContainEqual({})
  }
)

test.each(fields.filter((it) => it.isText))(
  'the set awkward has empty, long and odd texts in $path',
  ({ collection, name }) => {
    const values = valuesOf(collection, name) as string[]
    expect(values).toEqual(expect.arrayContaining(['', '__proto__', '<script>alert("name")</script>']))
    expect(values.some((it) => it?.length === 10_000)).toBe(true)
    for (const kind of [/\p{Script=Arabic}/u, /\p{Emoji_Presentation}/u, /\p{Mn}/u, /\u200B/, /"/, /'/]) {
      expect(values.some((it) => it && kind.test(it))).toBe(true)
    }
    expect(values.filter((it) => it === 'The same name').length).toBeGreaterThan(1)
  }
)

test('the set awkward has extreme numbers and dates', () => {
  for (const value of [0, -1, 2 ** 31, 2 ** 53 - 1]) {
    expect(valuesOf('tokenRateLimits', 'token_budget')).toContain(value)
    expect(valuesOf('connectorCredentials', 'docs_indexed')).toContain(value)
  }
  expect(valuesOf('chatSessions', 'current_temperature_override')).toContain(0)
  for (const date of extremes) expect(valuesOf('chatSessions', 'time_created')).toContain(date)
})

test('the set awkward has agents with negative ids, and keys that all objects have', () => {
  expect(rows.personas.filter((it) => it.id < 0).length).toBeGreaterThan(1)
  expect(text).toContain('"__proto__":{"admin":true}')
  expect(rows.users.map((it) => it.key)).toContain('__proto__')
})

test('the set awkward leaves room for the next id wherever callers can add rows', () => {
  for (const name of ['credentials', 'connectorCredentials', 'projectFiles', 'invites'] as const) {
    expect(Math.max(...rows[name].map((it) => it.id))).toBeLessThan(2 ** 31)
  }
})

test.each(['documented', 'observed'] as const)(
  'the service over the set awkward answers every read within its contract under the profile %s',
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

function rowsOf(rows: Seeded, name: string): Row[] {
  return rows[name as keyof Seeded] as unknown as Row[]
}

function count(rows: Seeded): number {
  return Object.values(rows).reduce((sum, list) => sum + list.length, 0)
}

/** JSON with every moment moved, except the earliest and the latest possible one. */
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

test('a maker is a seeded faker, with a locale for the words of the company', () => {
  const make = new Maker(7, now)
  expect(make).toBeInstanceOf(english.constructor)
  expect(words.product).toContain(make.helpers.fake('{{larkfield.product}}'))
  const drawn = () => [make.person.fullName(), make.internet.email(), make.string.uuid(), make.date.recent()]
  make.seed(9)
  const first = drawn()
  expect(drawn()).not.toEqual(first)
  make.seed(9)
  expect(drawn()).toEqual(first)
})

test('the build makes the same rows with a part of faker, and loads the rest when a maker is used', () => {
  const wanted = states.filter(([set, seed, scale]) => seed < 3 && scale <= 1 && set !== 'awkward')
  const program = `
    const { createMock } = require(${JSON.stringify(join(packageRoot(), 'dist/index.cjs'))})
    const { Maker } = require(${JSON.stringify(join(packageRoot(), 'dist/fixtures.cjs'))})
    const whole = () => Object.keys(require.cache).filter((it) => it.endsWith('faker.cjs')).length
    const made = ${JSON.stringify(wanted)}.map(([fixtures, seed, scale]) => {
      const box = createMock({ fixtures, seed, scale, now: ${JSON.stringify(testNow)} }).sandbox('default')
      return ['users', 'invites', 'projects', 'chatSessions'].map((name) => box.rows(name))
    })
    const box = createMock({ fixtures: 'empty' }).sandbox('default')
    for (const name of ${JSON.stringify(collections.map(({ name }) => name))}) box.create(name, {}, 20)
    const before = whole()
    const make = new Maker(7, ${now})
    const more = [make.lorem.word(), make.person.jobTitle(), make.internet.url(), make.date.recent().getTime() < ${now}]
    console.log(JSON.stringify({ made, before, more, after: whole() }))`
  const { made, ...others } = JSON.parse(
    execFileSync(process.execPath, ['-e', program], { encoding: 'utf8', maxBuffer: 2 ** 28 })
  )
  expect(others).toEqual({
    before: 0,
    more: [expect.any(String), expect.any(String), expect.stringMatching(/^https/), true],
    after: 1
  })
  for (const [i, [set, seed, scale]] of wanted.entries()) {
    const { users, invites, projects, chatSessions } = seedRows(set, { seed, scale, now })
    const lists = (it: object[][]) => it.map((list) => list.map((row) => JSON.stringify(row)).sort())
    expect(lists(made[i])).toEqual(lists([users, invites, projects, chatSessions]))
  }
})
