import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { cores, start } from './processes.mjs'

const hasWrk = spawnSync('wrk', ['-v']).error === undefined
export const loader = hasWrk ? 'wrk' : 'autocannon'

/**
 * Sends one request again and again over kept connections for some seconds.
 * @typedef {{requests: number, perSecond: number, failed: number, p50: number, p99: number}} Load latencies in ms
 * @returns {Promise<Load>}
 */
export function load(workload, { port, folder, seconds, connections }) {
  const target = { url: `http://127.0.0.1:${port}${workload.path}`, folder, seconds, connections }
  return hasWrk ? wrk(workload, target) : autocannon(workload, target)
}

async function wrk(workload, { url, folder, seconds, connections }) {
  const script = join(folder, 'wrk.lua')
  writeFileSync(script, luaOf(workload, bodyFile(workload, folder)))
  const args = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--timeout', '10s', '-s', script, url]
  const text = await run(['wrk', ...args], seconds)
  const [, found] = /^RESULT (.*)$/m.exec(text) ?? []
  if (!found) throw new Error(`wrk gave no result: ${text}`)
  const { requests, microseconds, failed, p50, p99 } = JSON.parse(found)
  return { requests, perSecond: (requests * 1e6) / microseconds, failed, p50: p50 / 1000, p99: p99 / 1000 }
}

function luaOf({ method, headers }, body) {
  return [
    `wrk.method = "${method}"`,
    ...Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = "${value}"`),
    ...(body ? [`wrk.body = io.open("${body}", "rb"):read("*a")`] : []),
    'function done(summary, latency)',
    '  local e = summary.errors',
    '  io.write(string.format("RESULT {\\"requests\\":%d,\\"microseconds\\":%d,\\"failed\\":%d,\\"p50\\":%f,\\"p99\\":%f}\\n",',
    '    summary.requests, summary.duration, e.status + e.connect + e.read + e.write + e.timeout,',
    '    latency:percentile(50), latency:percentile(99)))',
    'end'
  ].join('\n')
}

async function autocannon(workload, { url, folder, seconds, connections }) {
  const program = createRequire(import.meta.url).resolve('autocannon')
  const body = bodyFile(workload, folder)
  const args = ['--json', '-n', '-c', String(connections), '-d', String(seconds), '-m', workload.method]
  for (const [name, value] of Object.entries(workload.headers)) args.push('-H', `${name}=${value}`)
  if (body) args.push('-i', body)
  const result = JSON.parse(await run([process.execPath, program, ...args, url], seconds))
  const requests = result['2xx'] + result.non2xx
  return {
    requests,
    perSecond: requests / result.duration,
    failed: result.non2xx + result.errors,
    p50: result.latency.p50,
    p99: result.latency.p99
  }
}

function bodyFile({ body }, folder) {
  if (!body) return undefined
  const file = join(folder, 'body')
  writeFileSync(file, body)
  return file
}

async function run(command, seconds) {
  const child = start(command, { core: cores.client, stdio: ['ignore', 'pipe', 'pipe'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), seconds * 1000 + 30_000)
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].on('data', (chunk) => (texts[name] += chunk))
  const code = await child.ended
  clearTimeout(timer)
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${texts.stderr || texts.stdout}`)
  return texts.stdout
}
