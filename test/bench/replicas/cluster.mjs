import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { firstSuccess } from '../ask.mjs'
import { temporaryFolder } from '../folder.mjs'
import { freePort, start, startNode, stop } from '../processes.mjs'
import { workloads } from '../workloads.mjs'

const token = 'bench'

/** Its own redis-server (Debian: apt-get install redis-server), and processes on it. */
export async function startEngine() {
  const folder = temporaryFolder()
  const socket = join(folder, 'redis.sock')
  const keeps = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', '']
  const child = start(['redis-server', '--port', '0', '--unixsocket', socket, '--dir', folder, ...keeps])
  const cli = async (...command) => {
    const asked = start(['redis-cli', '-s', socket, ...command], { stdio: ['ignore', 'pipe', 'ignore'] })
    let text = ''
    asked.stdout.on('data', (chunk) => (text += chunk))
    await asked.ended
    return text
  }
  while ((await cli('PING')) !== 'PONG\n') await sleep(20)
  return { data: `redis+unix://${socket}`, cli, stop: () => stop(child) }
}

/** A process, in memory or with `data`. */
export async function startProcess(main, { data, core, options = [] }) {
  const port = await freePort()
  const shared = data ? ['--data', data, '--control-token', token] : []
  const args = [main, '--log', 'silent', '--port', `${port}`, '--max-sandboxes', '1000000', ...shared, ...options]
  const child = startNode(args, { core })
  await firstSuccess(child, port, workloads[0], performance.now())
  return { child, port, url: `http://127.0.0.1:${port}` }
}

/** Stops a process, and waits until it has handed its sandboxes over. */
export async function drained({ child }) {
  child.kill('SIGTERM')
  await child.ended
}

/** The same request for a sandbox. */
export function inSandbox(workload, name) {
  return { ...workload, headers: { ...workload.headers, 'X-Mock-Sandbox': name } }
}

/** Milliseconds until a request has a good answer. It is sent again while the answer is to wait. */
export async function timed(url, { method, path, headers, body }) {
  const began = performance.now()
  for (;;) {
    const response = await fetch(url + path, { method, headers, body })
    await response.arrayBuffer()
    if (response.ok) return performance.now() - began
    if (response.status !== 503) throw new Error(`${method} ${path} answered ${response.status}`)
    await sleep(20)
  }
}

export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
