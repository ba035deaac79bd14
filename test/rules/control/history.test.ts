import { historyOf } from '../../../src/engine/sandbox/sandbox.js'
import { startTestMock } from '../../mock.js'

const mock = await startTestMock()
const short = await startTestMock({ journalEntries: 5 })
const tight = await startTestMock()
tight.sandboxes.limits.journal.bytes = 16_000

type Place = typeof mock

const askIn = (place: Place) => (method: string, path: string, sandbox: string, body?: unknown) =>
  place.call(method, path, { as: `admin~${sandbox}`, body })
const ask = askIn(mock)

async function stateOf(sandbox: string, at?: string): Promise<string> {
  return (await ask('GET', `/__mock/state${at === undefined ? '' : `?at=${at}`}`, sandbox)).text
}

async function historyIn(sandbox: string, since = '') {
  return (await ask('GET', `/__mock/history${since}`, sandbox)).body
}

/** Requests and control calls that each change something else. The file is large enough to be in progress for a while. */
const changes: [method: string, path: string, body?: unknown][] = [
  ['PATCH', '/api/persona/1', { name: 'Changed' }],
  ['POST', '/api/chat/create-chat-session', {}],
  ['GET', '/api/persona/1'],
  ['POST', '/__mock/state/labels', { name: 'Late' }],
  ['PUT', '/__mock/clock', { advance: '1d' }],
  ['POST', '/api/chat/create-chat-session', {}],
  ['DELETE', '/api/persona/1'],
  ['GET', '/api/persona/999'],
  ['POST', '/__mock/state/userFiles?count=60', { user_id: 'basic', status: 'PROCESSING' }],
  ['PUT', '/__mock/clock', { advance: '1h' }],
  ['POST', '/__mock/state/labels', { name: 'Latest' }]
]

test('the state after each exchange and control call reads as it was, byte for byte', async () => {
  const then = new Map([['m0', await stateOf('steps')]])
  for (const [method, path, body] of changes) {
    const answer = await ask(method, path, 'steps', body)
    const request = answer.headers.get('x-mock-request-id')
    const { latest } = await historyIn('steps')
    if (request) then.set(request, await stateOf('steps'))
    then.set(latest, await stateOf('steps'))
  }
  expect([...then.keys()].filter((id) => id.startsWith('r'))).toEqual(['r1', 'r2', 'r3', 'r4', 'r5', 'r6'])
  expect(new Set(then.values()).size).toBe(10)
  for (const [id, state] of then) expect([id, await stateOf('steps', id)]).toEqual([id, state])
})

test('rows, their number and lifecycles read as they were', async () => {
  const made = await ask('POST', '/__mock/state/userFiles', 'reads', { user_id: 'basic', status: 'PROCESSING' })
  const { latest: then } = await historyIn('reads')
  const { id } = made.body
  await ask('PUT', '/__mock/clock', 'reads', { advance: '30d' })
  await ask('PATCH', `/__mock/state/userFiles/${id}`, 'reads', { name: 'later.pdf' })
  const row = `/__mock/state/userFiles/${id}`
  expect((await ask('GET', row, 'reads')).body).toMatchObject({ name: 'later.pdf', status: 'COMPLETED' })
  expect((await ask('GET', `${row}?at=${then}`, 'reads')).body).toEqual(made.body)
  const listed = await ask('GET', `/__mock/state/userFiles?at=${then}&q=${id}`, 'reads')
  expect(listed.body.rows[0]).toEqual(made.body)
  const counted = async (at: string) => {
    const { collections } = (await ask('GET', `/__mock/collections?at=${at}`, 'reads')).body
    return collections.find(({ name }: { name: string }) => name === 'userFiles').rows
  }
  expect((await counted(then)) - (await counted('m0'))).toBe(1)
  const moving = async (at: string) =>
    (await ask('GET', `/__mock/lifecycles${at}`, 'reads')).body.lifecycles.map((it: { id: string }) => it.id)
  expect([await moving(`?at=${then}`), await moving('')]).toEqual([
    expect.arrayContaining([id]),
    expect.not.arrayContaining([id])
  ])
})

test('a fork from an earlier moment continues exactly as the original did', async () => {
  const after = [
    ['POST', '/api/chat/create-chat-session', {}],
    ['POST', '/api/persona', { name: 'New', description: '', num_chunks: 1 }],
    ['GET', '/api/get-user-role', undefined]
  ] as const
  await ask('PATCH', '/__mock/assumptions', 'origin', { 'files.deletion': 'refused' })
  await ask('POST', '/__mock/overrides', 'origin', { path: '/api/other', status: 503, body: {}, rate: 0.5 })
  await ask('PATCH', '/api/persona/1', 'origin', { name: 'Changed' })
  const before = await stateOf('origin')
  const play = async (sandbox: string) => {
    const answers: unknown[] = []
    for (const [method, path, body] of after) {
      const { text, headers } = await ask(method, path, sandbox, body)
      answers.push(text, headers.get('x-mock-request-id'))
    }
    return answers
  }
  const played = await play('origin')
  await ask('DELETE', '/__mock/overrides', 'origin')
  const made = await ask('POST', '/__mock/sandboxes', 'origin', { name: 'forked', from: 'origin', at: 'r1' })
  expect([made.status, made.body.requests]).toEqual([201, 1])
  expect(await stateOf('forked')).toBe(before)
  const { choices, overrides } = mock.sandboxNamed('forked')
  expect([choices['files.deletion'], overrides.list.length]).toEqual(['refused', 1])
  expect(await play('forked')).toEqual(played)
  // The origin is as it was, and the fork has its own history.
  expect(await stateOf('origin', 'r1')).toBe(before)
  expect((await historyIn('forked')).first_request).toBe('r2')
})

test('the history shows which control calls changed what, and when', async () => {
  await ask('GET', '/api/persona/1', 'history')
  await ask('POST', '/__mock/state/labels', 'history', { name: 'One' })
  await ask('PATCH', '/api/persona/1', 'history', { name: 'Changed' })
  await ask('PUT', '/__mock/clock', 'history', { advance: '1h' })
  const { moments, earliest, latest, first_request } = await historyIn('history')
  expect([earliest, latest, first_request]).toEqual(['m0', 'm3', 'r1'])
  expect(moments).toMatchObject([
    {
      id: 'm1',
      before: 'm0',
      operation: 'addRow',
      of: 'labels',
      time: '2026-03-02T10:00:00.000Z',
      after_request: 'r1',
      changed: [{ collection: 'labels', added: 1, changed: 0, removed: 0 }]
    },
    {
      id: 'm3',
      before: 'm2',
      operation: 'setClock',
      time: '2026-03-02T11:00:00.000Z',
      after_request: 'r2',
      changed: []
    }
  ])
  expect((await historyIn('history', '?since=m1')).moments).toHaveLength(1)
})

test('a restored moment undoes a reset, a restore, choices and overrides, and can be undone itself', async () => {
  await ask('PATCH', '/api/persona/1', 'undo', { name: 'Changed' })
  await ask('POST', '/__mock/snapshots/kept', 'undo')
  await ask('POST', '/api/chat/create-chat-session', 'undo', {})
  const undone: [string, string, unknown?][] = [
    ['POST', '/__mock/reset', { fixtures: 'empty', seed: 9 }],
    ['POST', '/__mock/snapshots/kept/restore'],
    ['PUT', '/__mock/state', { collections: {} }],
    ['PATCH', '/__mock/assumptions', { 'files.deletion': 'refused' }],
    ['POST', '/__mock/overrides', { operation: 'getPersona', status: 404, body: {} }],
    ['PUT', '/__mock/clock', { advance: '3d', speed: 60 }]
  ]
  const worldOf = async () => {
    const { choices, overrides, clock } = mock.sandboxNamed('undo')
    return [await stateOf('undo'), JSON.stringify(choices), overrides.list.length, clock.speed]
  }
  for (const [method, path, body] of undone) {
    const before = await worldOf()
    await ask(method, path, 'undo', body)
    const after = await worldOf()
    const { moments } = await historyIn('undo')
    expect((await ask('POST', `/__mock/history/${moments.at(-1).before}/restore`, 'undo')).status).toBe(200)
    expect([path, await worldOf()]).toEqual([path, before])
    if (path.endsWith('clock')) continue
    await ask('POST', `/__mock/history/${moments.at(-1).id}/restore`, 'undo')
    expect([path, await worldOf()]).toEqual([path, after])
    await ask('POST', `/__mock/history/${moments.at(-1).before}/restore`, 'undo')
  }
})

test('a moment restored with elapsed undoes changes and keeps the time that has passed', async () => {
  const clock = async () => Date.parse((await ask('GET', '/__mock/clock', 'elapsed')).body.now)
  const start = (await ask('PUT', '/__mock/clock', 'elapsed', { speed: 3600 })).body.now
  while ((await clock()) <= Date.parse(start)) await new Promise(setImmediate)
  for (const [method, path, body] of [
    ['PATCH', '/__mock/assumptions', { 'files.deletion': 'refused' }],
    ['PUT', '/__mock/clock', { advance: '9000d' }]
  ] as const) {
    const before = await clock()
    await ask(method, path, 'elapsed', body)
    const { moments } = await historyIn('elapsed')
    const { status } = await ask('POST', `/__mock/history/${moments.at(-1).before}/restore?elapsed=true`, 'elapsed')
    const after = await clock()
    expect([path, status, after >= before, after < before + 9000 * 86_400_000]).toEqual([path, 200, true, true])
  }
  expect(mock.sandboxNamed('elapsed').clock.speed).toBe(3600)
})

test('an id names the new exchange after a reset, and earlier moments remain', async () => {
  await ask('PATCH', '/api/persona/1', 'reset', { name: 'First' })
  await ask('GET', '/api/persona/1', 'reset')
  const before = await stateOf('reset')
  await ask('POST', '/__mock/reset', 'reset')
  const start = await stateOf('reset')
  expect((await ask('GET', '/__mock/state?at=r1', 'reset')).status).toBe(404)
  await ask('GET', '/api/persona/1', 'reset')
  expect(await stateOf('reset', 'r1')).toBe(start)
  const { moments } = await historyIn('reset')
  expect(await stateOf('reset', moments.at(-1).before)).toBe(before)
})

test.each([
  ['reset', { fixtures: 'empty' }],
  ['scenarios/first-day', undefined]
])('%s keeps the journal and the coverage on request, and a restored moment undoes the rest', async (path, body) => {
  const sandbox = `keeps-${path.length}`
  await ask('PATCH', '/api/persona/1', sandbox, { name: 'First' })
  const before = await stateOf(sandbox)
  const { latest } = await historyIn(sandbox)
  const [first] = (await ask('GET', '/__mock/requests', sandbox)).body.requests
  expect((await ask('POST', `/__mock/${path}?keep_journal=true`, sandbox, body)).status).toBe(200)
  expect(await stateOf(sandbox)).not.toBe(before)
  const next = await ask('GET', '/api/persona/999', sandbox)
  const { requests } = (await ask('GET', '/__mock/requests', sandbox)).body
  expect([requests[0].id, requests.at(-1)]).toEqual([next.headers.get('x-mock-request-id'), first])
  expect(requests[0].id).toBe(`r${requests.length}`)
  expect((await ask('GET', '/__mock/coverage', sandbox)).text).toContain('"operation":"updatePersona"')
  expect(await stateOf(sandbox, 'r1')).toBe(before)
  await ask('POST', `/__mock/history/${latest}/restore`, sandbox)
  expect(await stateOf(sandbox)).toBe(before)
  expect((await ask('GET', '/__mock/requests', sandbox)).body.requests).toEqual(requests)
})

test('a dropped moment is refused with the earliest one, and an unknown moment too', async () => {
  const askShort = askIn(short)
  for (let number = 1; number <= 8; number++)
    await askShort('PATCH', '/api/persona/1', 'default', { name: `N${number}` })
  const gone = await askShort('GET', '/__mock/state?at=r2', 'default')
  expect([gone.status, gone.body.detail]).toEqual([
    410,
    'The history does not reach back to r2. Give a moment from m3 to m8, or an exchange from r3 to r8.'
  ])
  const row = await askShort('GET', '/__mock/state/personas/1?at=r3', 'default')
  expect(row.body.name).toBe('N3')
  const never = await askShort('GET', '/__mock/state/personas?at=m99', 'default')
  expect([never.status, never.body.detail]).toEqual([
    404,
    'There is no moment m99. Give a moment from m3 to m8, or an exchange from r3 to r8.'
  ])
  const forked = await askShort('POST', '/__mock/sandboxes', 'default', { name: 'f', from: 'default', at: 'm1' })
  expect([forked.status, short.sandboxes.find('f')]).toEqual([410, undefined])
  expect((await askShort('POST', '/__mock/history/r1/restore', 'default')).status).toBe(410)
})

test('a wrong moment, a fork without a source, and a dropped sandbox are refused by name', async () => {
  const wrong = await ask('GET', '/__mock/state?at=yesterday', 'wrong')
  expect([wrong.status, wrong.body.errors[0].field]).toEqual([400, 'at'])
  const lone = await ask('POST', '/__mock/sandboxes', 'wrong', { name: 'lone', at: 'r1' })
  expect([lone.status, lone.body.errors[0].field]).toEqual([400, 'from'])
  await ask('POST', '/__mock/sandboxes', 'wrong', { name: 'brief' })
  await ask('DELETE', '/__mock/sandboxes/brief', 'wrong')
  const dropped = await ask('POST', '/__mock/sandboxes', 'wrong', { name: 'again', from: 'brief', at: 'm0' })
  expect(dropped.status).toBe(404)
})

test('the bytes of replaced rows are limited, but the newest change can always be undone', async () => {
  const askTight = askIn(tight)
  const text = 'x'.repeat(1500)
  for (let number = 1; number <= 9; number++) {
    await askTight('PATCH', '/__mock/state/personas/1', 'default', { description: `${number} ${text}` })
  }
  const { earliest, latest } = (await askTight('GET', '/__mock/history', 'default')).body
  expect(latest).toBe('m9')
  expect(Number(earliest.slice(1))).toBeGreaterThan(4)
  expect((await askTight('GET', '/__mock/state?at=m2', 'default')).status).toBe(410)
  await askTight('POST', '/__mock/reset', 'default', { fixtures: 'empty' })
  const { moments } = (await askTight('GET', '/__mock/history', 'default')).body
  expect(moments).toHaveLength(1)
  await askTight('POST', `/__mock/history/${moments[0].before}/restore`, 'default')
  expect((await askTight('GET', '/__mock/state/personas/1', 'default')).body.description).toBe(`9 ${text}`)
})

test('a read adds nothing to the history, and a write keeps the old row itself, not a copy', async () => {
  for (let number = 0; number < 20; number++) await ask('GET', '/api/persona/1', 'cost')
  const sandbox = mock.sandboxNamed('cost')
  expect(historyOf(sandbox).latest.number).toBe(0)
  const old = sandbox.rows.personas.get(1)
  await ask('PATCH', '/api/persona/1', 'cost', { name: 'Changed' })
  const { latest, earliest } = historyOf(sandbox)
  expect([latest.number, latest.request]).toEqual([1, 'r21'])
  const [change] = historyOf(sandbox).after(earliest)
  expect(change?.writes[0]?.before).toBe(old)
})

test('the first change after a reset of the whole mock can be undone', async () => {
  await mock.reset()
  await mock.call('PUT', '/__mock/weather', { body: { profile: 'slow' } })
  const { moments } = (await mock.call('GET', '/__mock/history')).body
  expect(moments).toMatchObject([{ operation: 'setWeather', before: 'm0' }])
  await mock.call('POST', '/__mock/history/m0/restore')
  expect((await mock.call('GET', '/__mock/weather')).body.profile).toBe('fair')
})

test('a reset by the program starts a new history', async () => {
  const own = await startTestMock()
  await own.call('PATCH', '/api/persona/1', { body: { name: 'Changed' } })
  await own.reset()
  const { body } = await own.call('GET', '/__mock/history')
  expect([body.earliest, body.latest, body.first_request]).toEqual(['m0', 'm0', null])
})

test('changes after a restored moment make a separate capsule, which leads to the same state', async () => {
  await ask('PATCH', '/api/persona/1', 'capsule', { name: 'First' })
  await ask('PATCH', '/api/persona/1', 'capsule', { name: 'Second' })
  await ask('POST', '/__mock/history/r1/restore', 'capsule')
  await ask('POST', '/__mock/state/labels', 'capsule', { name: 'Late' })
  const { body: capsule } = await ask('GET', '/__mock/capsule', 'capsule')
  const played = await ask('POST', '/__mock/scenarios', 'played', capsule)
  expect([played.status, played.body.detail]).toEqual([200, undefined])
  // Capsules have no secrets, so rows with some differ.
  const rowsIn = async (sandbox: string) => {
    const { personas, labels, chatSessions } = JSON.parse(await stateOf(sandbox)).collections
    return { personas, labels, chatSessions }
  }
  expect(await rowsIn('played')).toEqual(await rowsIn('capsule'))
})

describe('one change is undone alone', () => {
  const undo = async (sandbox: string, at = -1) => {
    const { moments } = await historyIn(sandbox)
    return ask('POST', `/__mock/history/${moments.at(at).id}/undo`, sandbox)
  }
  const others: [method: string, path: string, body?: unknown][] = [
    ['PATCH', '/api/persona/2', { description: 'By somebody else' }],
    ['POST', '/__mock/overrides', { operation: 'getFile', status: 503 }],
    ['PATCH', '/__mock/assumptions', { 'delete.body': 'null' }]
  ]
  const partsOf = async (sandbox: string) => {
    const [state, overrides, assumptions] = await Promise.all(
      ['state', 'overrides', 'assumptions'].map((path) => ask('GET', `/__mock/${path}`, sandbox))
    )
    return [state?.body.collections, overrides?.body, assumptions?.body]
  }

  test.each<[string, string, string, unknown?]>([
    ['an added row is deleted', 'POST', '/__mock/state/labels', { name: 'Late' }],
    ['an edited row gets its former fields', 'PATCH', '/__mock/state/personas/2', { name: 'Edited' }],
    ['a deleted row returns', 'DELETE', '/__mock/state/invites/1', undefined],
    ['an added override is removed', 'POST', '/__mock/overrides', { operation: 'getPersona', status: 404, body: {} }],
    ['removed overrides return', 'DELETE', '/__mock/overrides', undefined],
    ['an override is switched on again', 'PATCH', '/__mock/overrides/o1', { off: true }],
    ['a choice is the former one', 'PATCH', '/__mock/assumptions', { 'files.deletion': 'refused' }],
    ['the weather is the former one', 'PUT', '/__mock/weather', { profile: 'slow' }]
  ])('%s, and what others changed since stays', async (name, method, path, body) => {
    const [sandbox, expected] = [`alone-${name.length}`, `expected-${name.length}`]
    for (const it of [sandbox, expected])
      await ask('POST', '/__mock/overrides', it, { operation: 'getFile', status: 503 })
    expect((await ask(method, path, sandbox, body)).status).toBeLessThan(300)
    const { moments } = await historyIn(sandbox)
    const changed = await partsOf(sandbox)
    for (const [other, at, sent] of others) {
      for (const it of [sandbox, expected]) expect((await ask(other, at, it, sent)).status).toBeLessThan(300)
    }
    expect(JSON.stringify(changed) === JSON.stringify(await partsOf(expected))).toBe(false)
    const { id } = moments.at(-1)
    expect(await ask('POST', `/__mock/history/${id}/undo`, sandbox)).toMatchObject({
      status: 200,
      body: { undone: id }
    })
    const withoutIds = async (it: string) => JSON.stringify(await partsOf(it)).replace(/"id":"o\d+"/g, '"id":"o"')
    expect(await withoutIds(sandbox)).toBe(await withoutIds(expected))
    await ask('DELETE', `/__mock/sandboxes/${sandbox}`, 'default')
    await ask('DELETE', `/__mock/sandboxes/${expected}`, 'default')
  })

  test('the clock shows what it would have shown, and rows that changed meanwhile stay', async () => {
    const then = (await ask('GET', '/__mock/clock', 'alone-clock')).body
    await ask('PUT', '/__mock/clock', 'alone-clock', { advance: '3d', speed: 0 })
    await ask('PATCH', '/api/persona/2', 'alone-clock', { name: 'Later' })
    expect((await undo('alone-clock')).status).toBe(200)
    expect((await ask('GET', '/__mock/clock', 'alone-clock')).body).toEqual(then)
    expect((await ask('GET', '/__mock/state/personas/2', 'alone-clock')).body.name).toBe('Later')
  })

  test('two steps of the clock are undone one after the other', async () => {
    const then = (await ask('GET', '/__mock/clock', 'two-steps')).body
    for (const _ of [1, 2]) await ask('PUT', '/__mock/clock', 'two-steps', { advance: '1h' })
    const { moments } = await historyIn('two-steps')
    const [first, second] = moments.slice(-2)
    for (const { id } of [second, first])
      expect((await ask('POST', `/__mock/history/${id}/undo`, 'two-steps')).status).toBe(200)
    expect((await ask('GET', '/__mock/clock', 'two-steps')).body).toEqual(then)
  })

  test('an undo can be undone', async () => {
    await ask('PATCH', '/__mock/state/personas/2', 'twice', { name: 'Edited' })
    const edited = await stateOf('twice')
    await undo('twice')
    const undone = await stateOf('twice')
    await undo('twice')
    expect([undone === edited, (await stateOf('twice')) === edited]).toEqual([false, true])
  })

  test.each<[string, unknown[], unknown[], string]>([
    [
      'the same field has changed since',
      ['PATCH', '/__mock/state/personas/2', { name: 'Edited' }],
      ['PATCH', '/api/persona/2', { name: 'Again' }],
      'personas 2 has changed since'
    ],
    [
      'the deleted row has a successor of the same name',
      ['DELETE', '/__mock/state/projectFiles/1'],
      ['POST', '/__mock/state/projectFiles', { project_id: 1, user_file_id: 'a87ff679-a2f3-471d-9181-a67b7542122c' }],
      'already has this project_id'
    ],
    [
      'the same choice has changed since',
      ['PATCH', '/__mock/assumptions', { 'files.deletion': 'refused' }],
      ['PATCH', '/__mock/assumptions', { 'files.deletion': 'documented' }],
      'files.deletion has changed since'
    ],
    [
      'the clock was set since',
      ['PUT', '/__mock/clock', { advance: '1d' }],
      ['PUT', '/__mock/clock', { advance: '1d' }],
      'the clock was set since'
    ],
    ['it was a reset', ['POST', '/__mock/reset', {}], ['GET', '/api/persona/1'], 'it replaced the whole state']
  ])('it is refused, and nothing changes, if %s', async (_, first, then, reason) => {
    const send = ([method, path, body]: unknown[]) => ask(method as string, path as string, 'refused', body)
    await ask('POST', '/__mock/reset', 'refused', {})
    await send(first)
    const { moments } = await historyIn('refused')
    await send(then)
    const before = await partsOf('refused')
    const { id, before: whole } = moments.at(-1)
    const { status, body } = await ask('POST', `/__mock/history/${id}/undo`, 'refused')
    expect([status, body.detail]).toEqual([409, expect.stringContaining(reason)])
    expect(body.detail).toContain(`Restore ${whole} `)
    expect(await partsOf('refused')).toEqual(before)
  })

  test('a moment that does not exist is a 404', async () => {
    expect((await ask('POST', '/__mock/history/m999/undo', 'default')).status).toBe(404)
    expect((await ask('POST', '/__mock/history/r1/undo', 'default')).status).toBe(400)
  })
})
