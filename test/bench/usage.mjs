import { readdirSync, readFileSync } from 'node:fs'

/**
 * CPU time in microseconds that a process, its threads and its children have had: user and system.
 * Undefined where there is no /proc.
 */
export function cpuTime(pid) {
  try {
    let total = 0
    for (const task of readdirSync(`/proc/${pid}/task`)) total += threadTime(`/proc/${pid}/task/${task}`)
    for (const child of childrenOf(pid)) total += cpuTime(child) ?? 0
    return total
  } catch {
    return undefined
  }
}

/** Resident memory in bytes of a process and its children. */
export function residentMemory(pid) {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return childrenOf(pid).reduce((sum, child) => sum + (residentMemory(child) ?? 0), Number(kilobytes) * 1024)
  } catch {
    return undefined
  }
}

/** schedstat counts nanoseconds; stat, which every kernel has, counts ticks of 10 ms (utime and stime). */
function threadTime(folder) {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1000
  } catch {
    const fields = readFileSync(`${folder}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  }
}

function childrenOf(pid) {
  const pids = []
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      pids.push(...readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean))
    } catch {}
  }
  return pids
}
