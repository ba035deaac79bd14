import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Duplex } from 'node:stream'

/**
 * Ignores failed writes. A service may answer and close before it has read the whole body, and node would then drop the
 * answer together with the socket. If there is no answer, reading ends the socket.
 */
function readOut<S extends Duplex>(socket: S): S {
  const { _write: write, _writev: writev } = socket
  socket._write = (data, encoding, done) => write.call(socket, data, encoding, () => done())
  if (writev) socket._writev = (chunks, done) => writev.call(socket, chunks, () => done())
  return socket
}

/** Connections to a service, which are kept for later requests. */
export function createAgent(isSecure: boolean, ca: string | undefined, keepAlive = true): HttpAgent {
  const agent = isSecure ? new HttpsAgent({ keepAlive, ca }) : new HttpAgent({ keepAlive })
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, made) => {
    const socket = connect(options, made)
    return socket && readOut(socket)
  }
  return agent
}
