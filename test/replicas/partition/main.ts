import { parseArgs } from 'node:util'
import { partition } from './run.js'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    main: { type: 'string', default: 'dist/main.js' },
    only: { type: 'string', multiple: true }
  }
})
const seconds = 60 * Number(values.minutes)
const { faults, ...told } = await partition({
  main: values.main,
  seconds,
  seed: Number(values.seed),
  only: values.only,
  say: (text) => console.error(text)
})
console.log(JSON.stringify(told, null, 2))
for (const it of faults.slice(0, 50)) console.log(`fault: ${it}`)
console.log(`${faults.length} faults`)
process.exit(faults.length > 0 ? 1 : 0)
