import { spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'

/** Servers run on the first core, clients on the second, where the machine has two and can pin. */
export const cores = { server: 0, client: 1 }

const has = (command, ...args) => spawnSync(command, args, { stdio: 'ignore' }).status === 0
const canPin = availableParallelism() > 1 && has('taskset', '--version')
const canTie = has('setpriv', '--pdeathsig', 'KILL', 'true')
export const isPinned = canPin

const running = new Set()
process.on('exit', () => {
  for (const child of running) kill(child)
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))

/**
 * Starts a program that ends when this one does, whatever ends it.
 * @param {string[]} command
 * @param {{core?: number, cwd?: string, stdio?: import('node:child_process').StdioOptions}} options
 */
export function start(command, { core, cwd, stdio = 'ignore' } = {}) {
  const tied = canTie ? ['setpriv', '--pdeathsig', 'KILL'] : []
  const pinned = canPin && core !== undefined ? ['taskset', '-c', String(core)] : []
  const [program, ...args] = [...tied, ...pinned, ...command]
  // Its own process group, so that the children of a child end with it.
  const child = spawn(program, args, { cwd, stdio, detached: true, env: environment(), serialization: 'advanced' })
  running.add(child)
  child.ended = new Promise((resolve) => child.once('close', (code) => resolve(code)))
  child.once('error', () => running.delete(child))
  child.once('exit', () => running.delete(child))
  return child
}

/** A node program; see start. */
export function startNode(args, options) {
  return start([process.execPath, ...args], options)
}

export async function stop(child) {
  kill(child)
  await child.ended
}

function kill(child) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

/** Options of the shell that started the bench must not reach one server and not another. */
function environment() {
  const kept = Object.entries(process.env).filter(([name]) => !/^(KCM_|NODE_|npm_)/.test(name))
  return { ...Object.fromEntries(kept), NO_COLOR: '1' }
}

/** A free port. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
