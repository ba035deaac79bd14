import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { cores, startNode } from './processes.mjs'
import { cpuTime } from './usage.mjs'
import { bytesOf } from './wire.mjs'
import { isRight } from './workloads.mjs'

const program = join(dirname(fileURLToPath(import.meta.url)), 'client.mjs')

/** A client in its own process; see client.mjs. */
export function startVisitor() {
  const child = startNode([program], { core: cores.client, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  return {
    child,
    /**
     * Sends `count` requests, the given ones in turn.
     * @returns the server's CPU time per request in µs, and the median latency in ms
     */
    async visit(server, { port, cases, count = cases.length, connections = 8 }) {
      const before = await settled(server.pid)
      const { statuses, median, error } = await answered(child, {
        port,
        requests: cases.map(bytesOf),
        count,
        connections
      })
      const after = await settled(server.pid)
      if (error) throw new Error(error)
      const wrong = Object.keys(statuses).filter((status) => !isRight(cases[0], Number(status)))
      if (wrong.length > 0) throw new Error(`${cases[0].method} ${cases[0].path} answered ${JSON.stringify(statuses)}`)
      if (after === undefined) throw new Error('this system does not tell the CPU time of a process (no /proc)')
      return { cpu: (after - before) / count, median }
    }
  }
}

/** The system books a thread's time when it stops running: after an answer it may still run for a moment. */
async function settled(pid) {
  await sleep(3)
  return cpuTime(pid)
}

/** One message to a child and its answer. */
export function answered(child, message) {
  const answer = nextMessage(child)
  child.send(message)
  return answer
}

/** What a child says next. */
export function nextMessage(child) {
  return new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`the process ended with code ${code}`))
    child.once('exit', ended)
    child.once('message', (answer) => {
      child.off('exit', ended)
      resolve(answer)
    })
  })
}
