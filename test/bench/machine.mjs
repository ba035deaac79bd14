import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import { isPinned } from './processes.mjs'

/** What the figures were taken on. */
export function machine() {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${type()} ${release()}`,
    node: process.version,
    pinned: isPinned
  }
}

/** The same in one sentence. */
export function describe({ processor, cores, memory, system, node, pinned }) {
  const pins = pinned ? 'server on one core, client on another' : 'not pinned to cores'
  return `${processor}, ${cores} ${cores === 1 ? 'core' : 'cores'}, ${memory}, ${system}, Node ${node.slice(1)}; ${pins}`
}

/** Says so when others use the machine: then only long runs mean something. */
export function warnIfBusy() {
  const [load] = loadavg()
  if (load > 0.5) console.error(`The machine is at work already (load ${load.toFixed(1)}): expect noise.`)
}
