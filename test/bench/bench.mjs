// npm run bench: the mock and its peers, one after the other, with the same requests. Writes results.{md,svg,json}.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { capture } from './capture.mjs'
import { temporaryFolder } from './folder.mjs'
import { loader } from './load.mjs'
import { machine, warnIfBusy } from './machine.mjs'
import { measureLoads, measureStarts } from './measure.mjs'
import { optionsOf } from './options.mjs'
import { plot } from './plot.mjs'
import { report } from './report.mjs'
import { servers } from './servers.mjs'
import { installedSize, versionOf } from './size.mjs'
import { workloads } from './workloads.mjs'

const help = `npm run bench -- [options]
  --rounds <number>       rounds, of which the medians count (default 3)
  --seconds <number>      length of a measurement (default 3)
  --starts <number>       cold starts of each server (default 7)
  --only <server,...>     ${servers.map(({ id }) => id).join(', ')}
  --workloads <id,...>    ${workloads.map(({ id }) => id).join(', ')}
  --out <folder>          where the results go (default test/bench)`

const values = optionsOf(help, {
  rounds: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '3' },
  starts: { type: 'string', default: '7' },
  only: { type: 'string' },
  workloads: { type: 'string' },
  out: { type: 'string', default: dirname(fileURLToPath(import.meta.url)) }
})

const folder = temporaryFolder()

const chosen = { servers: pick(servers, values.only), workloads: pick(workloads, values.workloads) }
const failures = new Map()
const options = { folder, failures, say: (line) => console.error(line) }

warnIfBusy()
await capture(folder)
const starts = await measureStarts(chosen.servers, { ...options, starts: whole(values.starts) })
const loads = await measureLoads(chosen.servers, chosen.workloads, {
  ...options,
  rounds: whole(values.rounds),
  seconds: whole(values.seconds)
})

const results = {
  date: new Date().toISOString().slice(0, 10),
  machine: machine(),
  loader,
  rounds: whole(values.rounds),
  seconds: whole(values.seconds),
  starts: whole(values.starts),
  workloads: chosen.workloads.map(({ id, title }) => ({ id, title })),
  servers: chosen.servers.map(({ id, title, state, checks, packages }) => ({
    id,
    title,
    state,
    checks,
    versions: Object.fromEntries(packages.map((name) => [name, versionOf(name)])),
    installed: installedSize(packages),
    ...starts[id],
    loads: loads[id] ?? {}
  })),
  failures: Object.fromEntries(failures)
}
writeFileSync(join(values.out, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
writeFileSync(join(values.out, 'results.md'), report(results))
writeFileSync(join(values.out, 'results.svg'), plot(results))
console.log(report(results))
// A peer may fail to serve; the mock and what it is compared with may not.
process.exit([...failures.keys()].some((key) => /^(mock|bare)\b/.test(key)) ? 1 : 0)

function pick(all, names) {
  if (names === undefined) return all
  const wanted = names.split(',')
  const unknown = wanted.filter((name) => !all.some(({ id }) => id === name))
  if (unknown.length > 0) usage(`unknown: ${unknown.join(', ')}`)
  return all.filter(({ id }) => wanted.includes(id))
}

function whole(text) {
  if (!/^[1-9]\d*$/.test(text)) usage(`${text} is not a whole number above 0`)
  return Number(text)
}

function usage(problem) {
  console.error(`${problem}\n\n${help}`)
  process.exit(2)
}
