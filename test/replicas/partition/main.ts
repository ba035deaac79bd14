import { parseArgs } from 'node:util'
import { packageRoot } from '../../../src/engine/contract/load.js'
import { built, mutants } from './mutants.js'
import { rolling } from './rolling.js'
import { partition } from './run.js'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    calls: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    main: { type: 'string', default: 'dist/main.js' },
    only: { type: 'string', multiple: true },
    rolling: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    mutant: { type: 'string', multiple: true }
  }
})
const seconds = 60 * Number(values.minutes)
const seed = Number(values.seed)
const isBad = values.rolling
  ? await tryRolling()
  : values.mutants || values.mutant
    ? await tryMutants()
    : await tryMain()
process.exit(isBad ? 1 : 0)

async function tryMain(): Promise<boolean> {
  const { main, only } = values
  const { faults, ...report } = await partition({
    main,
    seconds,
    calls: Number(values.calls),
    seed,
    only,
    say: (text) => console.error(text)
  })
  console.log(JSON.stringify(report, null, 2))
  for (const it of faults.slice(0, 50)) console.log(`fault: ${it}`)
  console.log(`${faults.length} faults`)
  return faults.length > 0
}

/** Restarts, of three processes behind HAProxy in turn. */
async function tryRolling(): Promise<boolean> {
  const { faults, ...report } = await rolling(values.main, 3 * Number(values.rolling), (text) => console.error(text))
  console.log(JSON.stringify(report))
  for (const it of faults.slice(0, 50)) console.log(`fault: ${it}`)
  console.log(`${faults.length} faults`)
  return faults.length > 0
}

/** Each mutant must be caught. */
async function tryMutants(): Promise<boolean> {
  const chosen = mutants.filter(({ name }) => values.mutant?.includes(name) ?? true)
  let missed = 0
  for (const mutant of chosen) {
    const main = await built(packageRoot(), mutant)
    const { faults, calls } = await partition({ main, seconds, seed, only: mutant.deeds, isShort: true })
    if (faults.length === 0) missed += 1
    console.log(`${mutant.name}: ${faults.length > 0 ? 'caught' : 'MISSED'} after ${calls} calls. ${faults[0] ?? ''}`)
  }
  console.log(`${chosen.length - missed} of ${chosen.length} mutants caught`)
  return missed > 0
}
