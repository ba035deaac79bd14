import { knowledgeChat } from '../../../src/apis/knowledge-chat/api.js'
import { createMock } from '../../../src/doors/program/mock.js'
import { type Contract, createContract } from '../../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../../src/engine/contract/ledger.js'
import { readDocuments } from '../../../src/engine/contract/load.js'
import { Invalid } from '../../../src/engine/contract/pydantic/explain.js'
import { controlRules, preparations } from '../../../src/engine/control/index.js'
import type { ControlContext } from '../../../src/engine/control/rule.js'
import { turn } from '../../../src/engine/store/steps.js'
import { type Answer, startTestMock, testNow } from '../../mock.js'
import { restored } from '../../restored.js'
import { workOf } from '../../work.js'

// Each step gets a turn of the event loop. With the usual milliseconds, a fast machine may need too few turns for others.
restored(turn)
beforeEach(() => {
  turn.milliseconds = 0
})

const mock = await startTestMock()
const ask = (method: string, path: string, sandbox: string, body?: unknown) =>
  mock.call(method, path, { as: `admin~${sandbox}`, body })
const create = (sandbox: string) => ask('POST', '/api/chat/create-chat-session', sandbox, {})

/** The answers to others during a call. */
async function during(
  call: Promise<Answer>,
  other: () => Promise<Answer>
): Promise<{ answer: Answer; others: Answer[] }> {
  let isDone = false
  const done = call.finally(() => {
    isDone = true
  })
  const others: Answer[] = []
  while (!isDone) others.push(await other())
  return { answer: await done, others }
}

beforeAll(async () => {
  await ask('POST', '/__mock/reset', 'many', { fixtures: 'large' })
})

test('a large state is read while others are answered, and shows one moment', async () => {
  const { answer, others } = await during(ask('GET', '/__mock/state', 'many'), () => create('many'))
  expect(others.length).toBeGreaterThan(3)
  const { collections } = JSON.parse(answer.text)
  const ids = new Set(collections.chatSessions.map(({ id }: { id: string }) => id))
  const seen = others.map(({ body }) => ids.has(body.chat_session_id))
  expect(ids.size).toBe(7500 + seen.filter(Boolean).length)
  // Earlier rows are there, and later ones are not.
  expect(seen).toEqual([...seen].sort().reverse())
  expect(seen.at(-1)).toBe(false)
  expect(answer.headers.get('content-type')).toBe('application/json')
})

test('many rows are made while others are answered, and equal those made at once', async () => {
  const create = () => ask('POST', '/__mock/state/userFiles?count=500', 'made', { name: 'a.pdf' })
  const { answer, others } = await during(create(), () => ask('GET', '/__mock/state/userFiles?limit=0', 'made'))
  expect([answer.status, answer.body.rows.length, others.length > 3]).toEqual([201, 500, true])
  // Others see all of them or none.
  expect(new Set(others.map(({ body }) => body.total)).size).toBeLessThanOrEqual(2)
  const atOnce = createMock({ now: testNow }).sandbox('at-once')
  expect(atOnce.create('userFiles', { name: 'a.pdf' }, 500)).toEqual(answer.body.rows)
  expect((await ask('GET', '/__mock/state', 'made')).body).toEqual(atOnce.state)
})

test('many rows that are made during writes of others are all there, with unique ids', async () => {
  const count = async () => (await ask('GET', '/__mock/state/labels?limit=0', 'busy')).body.total as number
  const before = await count()
  const many = ask('POST', '/__mock/state/labels?count=500', 'busy', {})
  const { answer, others } = await during(many, () => ask('POST', '/__mock/state/labels', 'busy', {}))
  expect([answer.status, answer.body.rows.length, new Set(others.map(({ status }) => status))]).toEqual([
    201,
    500,
    new Set([201])
  ])
  expect(await count()).toBe(before + 500 + others.length)
  const refused = await ask('POST', '/__mock/state/labels?count=500', 'busy', { name: 7 })
  expect([refused.status, await count()]).toEqual([400, before + 500 + others.length])
})

test('a list of rows is searched and sorted in turns, so that others are answered', async () => {
  let [turns, isDone] = [0, false]
  const count = () => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  count()
  const { status, body } = await ask('GET', '/__mock/state/chatSessions?q=a&sort=-name&limit=3', 'many')
  isDone = true
  // Fifty of 7,500 rows are read in a turn.
  expect(turns).toBeGreaterThan(150)
  const names = body.rows.map(({ name }: { name: string }) => name.toLowerCase())
  expect([status, names]).toEqual([200, [...names].sort().reverse()])
})

test('a large state is checked while others are answered, and then replaces the other at once', async () => {
  // It has 20,000 steps, too many for a turn each.
  turn.milliseconds = 1
  const { body: state } = await ask('GET', '/__mock/state', 'many')
  const { answer, others } = await during(ask('PUT', '/__mock/state', 'put', state), () =>
    ask('GET', '/api/persona/1', 'put')
  )
  expect([answer.status, others.length > 3]).toEqual([200, true])
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await ask('GET', '/__mock/state', 'put')).body).toEqual(state)
  const wrong = { ...state, collections: { ...state.collections, invites: [{ id: 'x' }] } }
  const refused = await during(ask('PUT', '/__mock/state', 'put', wrong), () => ask('GET', '/api/persona/1', 'put'))
  expect([refused.answer.status, refused.others.length > 1]).toEqual([400, true])
  expect((await ask('GET', '/__mock/state', 'put')).body).toEqual(state)
})

test('a state that was checked under other choices is checked again', async () => {
  const choices = defaultChoices(readLedger(), 'documented')
  const [wide, narrow] = ['observed', 'named-seven'].map((sources) =>
    createContract(readDocuments(), { ...choices, 'sources.values': sources }, [], knowledgeChat)
  ) as [Contract, Contract]
  const sandbox = mock.sandboxNamed('choices')
  const { rows } = sandbox
  const { body } = await ask('GET', '/__mock/state', 'choices')
  const context = (contract: Contract) => ({ sandbox, contract }) as unknown as ControlContext
  const prepared = await preparations.replaceState?.({ body }, context(wide))
  expect(() => controlRules.replaceState({ body }, { ...context(narrow), prepared })).toThrow(Invalid)
  expect(sandbox.rows).toBe(rows)
  controlRules.replaceState({ body }, { ...context(wide), prepared })
  expect(sandbox.rows).not.toBe(rows)
})

describe('unknown requests', () => {
  beforeAll(async () => {
    for (let at = 0; at < 200; at++) await ask('GET', `/api/manage/admin/conector/${at}/credentials/x${at}`, 'near')
  })

  test('are compared with the operations once', async () => {
    const list = async () => expect((await ask('GET', '/__mock/requests', 'near')).body.total).toBe(200)
    const [first, second] = [await workOf(list), await workOf(list)]
    expect(second).toBeLessThan(first / 2)
  })

  test('are listed while others are answered', async () => {
    await ask('DELETE', '/__mock/requests', 'near')
    for (let at = 0; at < 400; at++) await ask('GET', `/api/manage/admin/conector/${at}/credential/x${at}`, 'near')
    const { answer, others } = await during(ask('GET', '/__mock/requests', 'near'), () =>
      ask('GET', '/api/persona/1', 'few')
    )
    expect([answer.body.total, answer.body.requests[0].near_misses.length > 0]).toEqual([400, true])
    expect(others.length).toBeGreaterThan(1)
  })

  test('show only the useful part of a long path', async () => {
    await ask('GET', `/api/${'x'.repeat(9000)}/persona/1`, 'near')
    const [{ near_misses }] = (await ask('GET', '/__mock/requests?limit=1', 'near')).body.requests
    expect(near_misses[0].difference).toBe(`"${'x'.repeat(100)}…" is not needed`)
  })
})
