import type { SandboxHandle } from '../../src/doors/program/handle/sandbox-handle.js'
import type { Mock } from '../../src/doors/program/mock.js'
import { createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'
import { createRowRedaction } from '../../src/engine/contract/message/redaction.js'

const contract = createContract(readDocuments(), defaultChoices(readLedger()))

type Row = Record<string, never>

/** The whole state of a sandbox as bytes, without secrets, which no capsule has. */
export async function stateOf(fetch: Mock['fetch'], handle: SandboxHandle): Promise<string> {
  const get = async (path: string) => {
    const response = await fetch(`http://mock.invalid/__mock/${path}`, { headers: handle.headers })
    return response.json()
  }
  const { collections, stored = {}, ...state } = handle.state
  const hidden = Object.entries(collections).map(([name, rows]) => {
    const hide = createRowRedaction(contract.documents, contract.collections.get(name) as never)
    return [name, (rows as Row[]).map(hide)]
  })
  return JSON.stringify({
    state,
    collections: Object.fromEntries(hidden),
    stored,
    clock: await get('clock'),
    assumptions: await get('assumptions'),
    overrides: await get('overrides'),
    weather: await get('weather')
  })
}
