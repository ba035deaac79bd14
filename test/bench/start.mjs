// npm run bench:start: what a test file pays before its first answer: import, createMock and one request, compared with a bare
// Express application with supertest. Processor time of whole processes, in turns: other work on the machine hardly counts.
import { once } from 'node:events'
import { join } from 'node:path'
import { warnIfBusy } from './machine.mjs'
import { median, times } from './numbers.mjs'
import { optionsOf } from './options.mjs'
import { cores, startNode } from './processes.mjs'

const { rounds } = optionsOf('npm run bench:start -- --rounds <number>   of each program (default 15)', {
  rounds: { type: 'string', default: '15' }
})
const folder = join(import.meta.dirname, 'start')
const programs = {
  'Express with supertest, ESM': 'express.mjs',
  'Express with supertest, CJS': 'express.cjs',
  'the mock, ESM': 'mock.mjs',
  'the mock, CJS': 'mock.cjs'
}
warnIfBusy()
const spent = Object.fromEntries(Object.keys(programs).map((name) => [name, []]))
for (let round = 0; round < Number(rounds); round++) {
  for (const [name, file] of Object.entries(programs)) spent[name].push(await costOf(file))
}
const bare = Math.min(
  ...Object.keys(programs)
    .slice(0, 2)
    .map((name) => median(spent[name]))
)
for (const [name, list] of Object.entries(spent)) {
  const cost = median(list)
  console.log(`${name.padEnd(30)}${cost.toFixed(0).padStart(5)} ms   ${times(cost / bare)}`)
}

/** Milliseconds of processor time that a program takes, from its start to its end. */
async function costOf(file) {
  const child = startNode(['--require', join(folder, 'report.cjs'), join(folder, file)], {
    core: cores.server,
    stdio: ['ignore', 'pipe', 'inherit']
  })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${file} ended with ${code}`)
  return Number(output)
}
