import { describe } from './machine.mjs'
import { short, times } from './numbers.mjs'

/** The results as Markdown: one table of throughput and CPU time, one of latencies. */
export function report(results) {
  const { workloads, servers, loader, rounds, seconds, starts } = results
  const bare = servers.find(({ id }) => id === 'bare')
  return `${[
    '# Bench',
    `${results.date}. ${describe(results.machine)}. Medians of ${rounds} interleaved rounds of ${seconds} s, each in a fresh process; ` +
      `${loader}, 32 connections (4 for the upload); starts and memory: medians of ${starts}. ` +
      'Absolute figures move with the machine; the ratios to bare `node:http` in the same run are what to compare.',
    '![CPU time per request, as a ratio to bare node:http](results.svg)',
    '## Throughput and CPU time',
    'Requests per second · µs of server CPU per request · that time as a ratio to bare `node:http`, which reads, keeps ' +
      'state and serializes the same bodies without any check. `–`: not served.',
    table(
      ['server', ...workloads.map(({ title }) => title), 'start to first 200', 'memory, idle', 'installed'],
      servers.map((server) => [
        server.title,
        ...workloads.map(({ id }) => speed(server.loads[id], bare?.loads[id])),
        server.start === undefined ? '–' : `${Math.round(server.start)} ms`,
        megabytes(server.memory),
        server.installed ? megabytes(server.installed) : '–'
      ])
    ),
    '## Latency',
    'Milliseconds at the median and at the 99th percentile, the server always busy.',
    table(
      ['server', ...workloads.map(({ title }) => title)],
      servers.map((server) => [server.title, ...workloads.map(({ id }) => latency(server.loads[id]))])
    ),
    '## Servers',
    table(
      ['server', 'keeps state', 'checks requests / responses', 'versions'],
      servers.map(({ title, state, checks, versions }) => [title, state, checks, namesOf(versions)])
    ),
    ...failuresOf(results)
  ].join('\n\n')}\n`
}

function speed(load, bare) {
  if (!load) return '–'
  const cpu = load.cpu === undefined ? [] : [`${short(load.cpu)} µs`]
  const ratio = load.cpu && bare?.cpu ? [`**${times(load.cpu / bare.cpu)}**`] : []
  return [`${short(load.perSecond)}/s`, ...cpu, ...ratio].join(' · ')
}

function latency(load) {
  return load ? `${load.p50.toFixed(1)} · ${load.p99.toFixed(1)}` : '–'
}

function megabytes(bytes) {
  return bytes === undefined ? '–' : `${Math.round(bytes / 1e6)} MB`
}

function namesOf(versions) {
  const names = Object.entries(versions).map(([name, version]) => `${name === '.' ? 'this package' : name} ${version}`)
  return names.join(', ') || '–'
}

function failuresOf({ failures }) {
  const entries = Object.entries(failures)
  if (entries.length === 0) return []
  return ['## Failed', entries.map(([key, reason]) => `- ${key}: ${reason.replaceAll('\n', ' ')}`).join('\n')]
}

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
