import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cores, startNode } from '../processes.mjs'

const server = join(dirname(fileURLToPath(import.meta.url)), 'server.mjs')

/** Starts server.mjs with options of the mock; `ask` sends it a message and gives its answer. */
export async function startServer(options) {
  const child = startNode(['--expose-gc', server, JSON.stringify(options)], {
    core: cores.server,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc']
  })
  const [{ url }] = await once(child, 'message')
  return {
    child,
    url,
    async ask(message) {
      child.send(message)
      return (await once(child, 'message'))[0]
    }
  }
}
