import { createContract } from '../../src/engine/contract/contract.js'
import type { Json, JsonObject } from '../../src/engine/contract/load.js'
import { addressOf, bodyOf } from '../contract/examples.js'
import { sampled } from '../extent.js'
import { choiceSets, documents } from './choices.js'
import { startSandboxes } from './sandboxes.js'

type Statuses = Record<string, number>

const sandboxFor = await startSandboxes()

/** The examples that a choice refuses on purpose. */
const refused: Record<string, Statuses> = {
  'profile observed': { 'createChatSession incognito': 403, 'deleteUser by-address': 400 },
  'chat.incognito=refused': { 'createChatSession incognito': 403 },
  'tool.deletion=refused': { 'deleteTool custom': 400 },
  'users.delete-active=refused': { 'deleteUser by-address': 400 }
}

/** The examples that a choice turns into a server error, as the running service wrongly does. */
const failures: Record<string, Statuses> = {
  'profile observed': { 'linkCredential named': 500 },
  'errors.missing=per-operation': { 'linkCredential named': 500 }
}

describe.each(sampled(choiceSets, 16))('under $name', ({ name, choices }) => {
  const calls = [...createContract(documents, choices).operations.values()].flatMap((operation) =>
    Object.entries(operation.examples).map(([it, example]) => ({
      name: `${operation.id} ${it}`,
      operation,
      ...example
    }))
  )

  test('the demo answers every example', async () => {
    const statuses = await statusesOf(calls)
    expect(where(statuses, (status) => status < 200 || status > 299)).toEqual(refused[name] ?? {})
  })

  test('an empty id is not a server error', async () => {
    const statuses = await statusesOf(
      calls.flatMap(({ path, ...rest }) => (path ? { path: ofNothing(path), ...rest } : []))
    )
    expect(where(statuses, (status) => status >= 500)).toEqual(failures[name] ?? {})
  })

  /** The status of every request, each in its own sandbox. */
  async function statusesOf(requests: typeof calls): Promise<Statuses> {
    const answers = requests.map(async ({ name, operation, path, query, body }) => {
      const address = addressOf(operation, path, query)
      const { status } = await sandboxFor(choices).call(operation.method, address, bodyOf(operation, body))
      return [name, status] as const
    })
    return Object.fromEntries(await Promise.all(answers))
  }
})

/** The same path with other ids. */
function ofNothing(path: JsonObject): JsonObject {
  const ids = Object.entries(path).map(([name, value]): [string, Json] => {
    if (typeof value === 'number') return [name, 999_999]
    return [name, String(value).includes('-') ? '99999999-9999-4999-8999-999999999999' : value]
  })
  return Object.fromEntries(ids)
}

function where(statuses: Statuses, isWanted: (status: number) => boolean): Statuses {
  return Object.fromEntries(Object.entries(statuses).filter(([, status]) => isWanted(status)))
}
