import { isObject } from '../../engine/contract/load.js'
import { failed } from './call.js'
import type { Message, Server, Transport } from './sdk.js'

/**
 * Connects a server. Malformed calls of tools are answered here, because the SDK's own error shows its schema, and agents
 * correct themselves by the text of a result.
 */
export async function meet(server: Server, transport: Transport): Promise<void> {
  await server.connect(transport)
  const { onmessage } = transport
  transport.onmessage = (message, more) => {
    const wrong = message.method === 'tools/call' ? wrongCall(message) : undefined
    if (wrong === undefined || message.id === undefined) return onmessage?.(message, more)
    transport.send({ jsonrpc: '2.0', id: message.id, result: failed(wrong) }).catch(() => {})
  }
}

function wrongCall({ params }: Message): string | undefined {
  if (typeof params?.name !== 'string') return 'The name of the tool is missing. The list of tools has all names.'
  // Some agents send null for fields that they leave out.
  if (params.arguments === null) delete params.arguments
  const { arguments: given } = params
  if (given === undefined || isObject(given)) return undefined
  return `arguments is ${JSON.stringify(given).slice(0, 100)}: give an object with the arguments by name.`
}
