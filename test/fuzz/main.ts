import { parseArgs } from 'node:util'
import { caseOf, kinds } from './case.js'
import { printReplay, replay } from './replay.js'
import { fuzz } from './run.js'
import { verdict } from './verdict.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    requests: { type: 'string', default: '1000000' },
    only: { type: 'string' },
    replay: { type: 'string' }
  }
})
const { only } = values
if (only !== undefined && !(only in kinds)) {
  console.error(`error: --only ${only}: give one of ${Object.keys(kinds).join(', ')}.`)
  process.exit(2)
}
if (values.replay !== undefined) {
  const [seed, number] = values.replay.split(':').map(Number) as [number, number]
  const given = caseOf(seed, number, only)
  printReplay(given, await replay(given))
} else {
  const report = await fuzz({
    seed: Number(values.seed),
    requests: Number(values.requests),
    only,
    onProgress({ requests, failures }) {
      const last = failures.at(-1)
      const lastFailure = last ? `, the last: ${last.number} (${last.kind}) ${last.what}` : ''
      console.error(`${requests} requests, ${failures.length} failures${lastFailure}`)
    }
  })
  const { text, failed } = verdict(report, only)
  console.log(text)
  process.exitCode = failed ? 1 : 0
}
