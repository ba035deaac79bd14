import type { Rows } from '../../src/apis/knowledge-chat/types.gen.js'
import { createMock } from '../../src/doors/program/mock.js'
import { createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'
import { isSample } from '../extent.js'
import { testNow } from '../mock.js'

const { collections } = createContract(readDocuments(), defaultChoices(readLedger()))
/** Every collection with each of its traits, and without one. */
const kinds = [...collections.values()].flatMap(({ name, traits = {} }) =>
  [undefined, ...Object.keys(traits)].map((trait) => [name as keyof Rows, trait as never] as const)
)
const seeds = Array.from({ length: isSample ? 8 : 1000 }, (_, i) => i * 7919 - 3)
const fixtures = (seed: number) => (seed % 5 === 0 ? 'demo' : 'empty')
const mock = createMock({ now: testNow })

test('every factory makes rows that satisfy their contract, for every seed, and refer only to existing rows', () => {
  for (const seed of seeds) {
    const box = mock.sandbox('made')
    box.reset({ fixtures: fixtures(seed), seed })
    for (const [collection, trait] of kinds) box.create(collection, trait, {}, 2)
    const { state } = box
    // The new state is checked: each row, each reference, and every unique value.
    box.state = state
    expect(box.state).toEqual(state)
  }
})

test('the same seed and calls make the same rows, and another seed makes others', () => {
  const rows = [7, 7, 8].map((seed, i) => {
    const box = mock.sandbox(`same-${i}`)
    box.reset({ fixtures: 'demo', seed })
    for (const [collection, trait] of kinds) box.create(collection, trait, {}, 2)
    return JSON.stringify(box.state.collections)
  })
  expect(rows[1]).toBe(rows[0])
  expect(rows[2]).not.toBe(rows[0])
})

test('a row is the same whatever was made before it in other collections', () => {
  const alone = mock.sandbox('alone')
  const among = mock.sandbox('among')
  for (const [collection] of kinds.filter(([name]) => name !== 'tokenRateLimits')) among.create(collection)
  expect(among.create('tokenRateLimits')).toEqual(alone.create('tokenRateLimits'))
})

test('new rows belong together: one owner, one source, agents that their users may see', () => {
  for (const seed of seeds.slice(0, 20)) {
    const box = mock.sandbox('fit')
    box.reset({ fixtures: fixtures(seed), seed })
    const rows = Object.fromEntries([...collections.keys()].map((name) => [name, new Map<unknown, object>()]))
    for (const [collection, trait] of kinds) box.create(collection, trait, {}, 3)
    const [project] = box.rows('projects').slice(-1)
    box.create('chatSessions', { project_id: project?.id ?? null }, 3)
    box.create('chatSessions', { project_id: project?.id ?? null, time_updated: '-1m' }, 3)
    for (const name of collections.keys()) {
      for (const row of box.rows(name as keyof Rows)) rows[name]?.set(row.id, row)
    }
    const find = <C extends keyof Rows>(name: C, id: unknown) => rows[name]?.get(id) as Rows[C]
    for (const link of box.rows('projectFiles')) {
      const [project, file] = [find('projects', link.project_id), find('userFiles', link.user_file_id)]
      expect([link.id, file.user_id]).toEqual([link.id, project.user_id])
      expect(link.linked_at >= project.created_at).toBe(true)
    }
    for (const pair of box.rows('connectorCredentials')) {
      const [connector, credential] = [find('connectors', pair.connector_id), find('credentials', pair.credential_id)]
      expect([pair.id, credential.source]).toEqual([pair.id, connector.source])
    }
    for (const session of box.rows('chatSessions')) {
      if (session.project_id !== null) {
        const { user_id, created_at } = find('projects', session.project_id)
        expect([session.id, user_id, session.time_created >= created_at]).toEqual([session.id, session.user_id, true])
      }
      const agent = session.persona_id === null ? undefined : find('personas', session.persona_id)
      const isSeen = !agent || agent.is_public || [null, session.user_id].includes(agent.owner_id)
      expect([session.id, isSeen || agent?.user_ids.includes(session.user_id)]).toEqual([session.id, true])
    }
    for (const agent of box.rows('personas')) {
      for (const id of agent.user_file_ids) expect(find('userFiles', id).user_id).toBe(agent.owner_id)
    }
  }
})
