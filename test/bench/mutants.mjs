// npm run bench:mutants: how many of the faults that verify catches Prism's validation proxy notices. Writes mutants.md.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allMutants, recorded } from '../../dist/test/mutants.mjs'
import { captureDocument } from './capture.mjs'
import { temporaryFolder } from './folder.mjs'
import { alarmsIn, newIn, reportsOf } from './mutants/notice.mjs'
import { startPrism } from './mutants/prism.mjs'
import { report } from './mutants/report.mjs'
import { optionsOf } from './options.mjs'
import { versionOf } from './size.mjs'

const help = `npm run bench:mutants -- [options]
  --whole            every fault of every field, in place of one per field
  --only <text>      mutants whose name has this text
  --out <folder>     where mutants.md goes (default test/bench)`

const values = optionsOf(help, {
  whole: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  out: { type: 'string', default: dirname(fileURLToPath(import.meta.url)) }
})

const folder = temporaryFolder()

await captureDocument(folder)
const prism = await startPrism(folder)
const mutants = allMutants(values.whole).filter(({ name }) => name.includes(values.only))

const whole = await runOf('*')
const healthy = {
  exchanges: whole.sent,
  redirects: whole.redirects,
  found: whole.caught.join(', '),
  refused: new Set(whole.reports.filter(({ side, status }) => side === 'request' && status >= 400).map(({ at }) => at))
    .size,
  alarms: alarmsIn(whole.reports)
}

const baselines = new Map([['*', whole.reports]])
const control = { runs: 0, verify: 0, prism: 0 }
for (const operations of new Set(mutants.map((mutant) => mutant.operations))) {
  const { reports } = await runOf(operations)
  baselines.set(operations, reports)
  const again = await runOf(operations)
  const { replies, accepted } = newIn(again.reports, reports)
  control.runs++
  if (again.caught.length > 0) control.verify++
  if (replies.length + accepted.length > 0) control.prism++
}

const results = []
for (const { name, kind, operations, check, fault } of mutants) {
  // As in the mutants' own tests: what one operation alone cannot tell, all of them may.
  const alone = await runOf(operations, fault)
  const { caught, reports, sent, cut } = alone.caught.length > 0 ? alone : await runOf('*', fault)
  const { replies, accepted } = newIn(reports, baselines.get(alone.caught.length > 0 ? operations : '*'))
  const isCaught = caught.includes(check)
  results.push({ name, kind, isCaught, replies, accepted, exchanges: sent, cut })
  const noticed = replies.length > 0 ? 'noticed' : accepted.length > 0 ? 'noticed in accepted requests' : 'missed'
  console.error(`${results.length}/${mutants.length} ${name}: ${isCaught ? 'caught' : 'not caught'}, ${noticed}`)
}
await prism.stop()

const text = report({
  date: new Date().toISOString().slice(0, 10),
  node: process.versions.node,
  versions: { own: versionOf('.'), prism: versionOf('@stoplight/prism-cli') },
  healthy,
  control,
  mutants: results
})
writeFileSync(join(values.out, 'mutants.md'), text)
console.log(text)
// A count means something only where verify catches all, and the mock as it is causes no alarm.
process.exit(results.every(({ isCaught }) => isCaught) && control.verify + control.prism === 0 ? 0 : 1)

/** verify's run, and what Prism reports about the same traffic. */
async function runOf(operations, fault) {
  const { caught, exchanges } = await recorded(operations, fault)
  // Prism follows a redirect: what it would tell is of another reply.
  const isRedirect = ({ reply: { status } }) => status >= 300 && status < 400
  const passed = exchanges.filter((exchange) => !isRedirect(exchange))
  const verdicts = await prism.judgeAll(passed)
  return {
    caught,
    reports: reportsOf(passed, verdicts),
    sent: exchanges.length,
    redirects: exchanges.length - passed.length,
    cut: verdicts.filter(({ isCut }) => isCut).length
  }
}
