import { callTool } from '../../src/doors/mcp/agents.js'
import { createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'

test('an answer that is too long for an agent is not read to its end, and the agent gets advice', async () => {
  const contract = createContract(readDocuments(), defaultChoices(readLedger()))
  const piece = new Uint8Array(1024 ** 2)
  let sent = 0
  const ask = async () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          sent += 1
          controller.enqueue(piece)
        }
      })
    )
  const how = { headers: {}, signal: new AbortController().signal }
  const text = 'The answer is longer than 67108864 bytes: ask for less, such as by limit.'
  expect(await callTool(contract, { name: 'exportScenario' }, ask, how)).toEqual({
    content: [{ type: 'text', text }],
    isError: true
  })
  expect(sent).toBeLessThan(80)
})
