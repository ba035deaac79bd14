import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verify } from '../../../src/apis/knowledge-chat/scenes/index.js'
import { packageRoot } from '../../../src/engine/contract/load.js'
import type { Finding } from '../../../src/tools/verify/results.js'
import { sampled } from '../../extent.js'
import { missed } from './missed.js'
import { program, startThird, type ThirdChoice, type ThirdSwitch } from './start.js'

/** The switches of the service, which it lists itself. */
const listed = execFileSync('python3', [program, '--list'], { encoding: 'utf8', maxBuffer: 4 * 1024 * 1024 })
const { bugs, choices } = JSON.parse(listed) as { bugs: ThirdSwitch[]; choices: ThirdChoice[] }

/** No machine is too slow. */
const patience = 600_000
const cases = 10

async function findingsOf(switches: Parameters<typeof startThird>[0], operations = '*'): Promise<Finding[]> {
  const { url, adminToken, userToken, disposable, known, close } = await startThird(switches)
  try {
    const settings = { mutating: true, disposable, known, operations, cases, timeout: 300_000 }
    return (await verify({ url, token: adminToken, userToken, ...settings })).findings
  } finally {
    await close()
  }
}

const caught = new Map<string, boolean>()
const alarms = new Map<string, boolean>()

test(
  'on a right service in Python, verify finds nothing',
  async () => {
    expect(await findingsOf({})).toEqual([])
  },
  patience
)

test.each(sampled(choices, 40).map(({ name, says }) => [name, says]))(
  'the choice %s of a service in Python is no fault: %s',
  async (name) => {
    const findings = await findingsOf({ choices: [name] })
    alarms.set(name, findings.length > 0)
    expect(findings).toEqual([])
  },
  patience
)

test.each(sampled(bugs, 60).map(({ name, says, operation }) => [name, says, operation] as const))(
  'the bug %s of a service in Python is found: %s',
  async (name, _, operation) => {
    const near = operation === null ? [] : await findingsOf({ bugs: [name] }, operation)
    const findings = near.length > 0 ? near : await findingsOf({ bugs: [name] })
    caught.set(name, findings.length > 0)
    expect(findings.length > 0).toBe(!(name in missed))
  },
  patience
)

afterAll(() => {
  if (caught.size < bugs.length || alarms.size < choices.length) return
  const lost = bugs.filter(({ name }) => !caught.get(name))
  const wrong = choices.filter(({ name }) => alarms.get(name))
  const line = ({ name, says }: ThirdSwitch) => `- \`${name}\`: ${says} ${missed[name] ?? ''}`.trim()
  const parts = [
    '# A service in Python',
    `\`npm run verify:proof\`. The service in this folder is written from the description alone, in plain Python. \`verify --mutating\` finds nothing on it as it is. It finds ${bugs.length - lost.length} of its ${bugs.length} bugs, and a fault in ${wrong.length} of its ${choices.length} legal choices. A file of each status is named, as \`--known\` does.`,
    '## Bugs that are missed',
    lost.map(line).join('\n') || 'None.',
    '## Choices that are taken for faults',
    wrong.map(line).join('\n') || 'None.'
  ]
  writeFileSync(join(packageRoot(), 'test/verify/third/results.md'), `${parts.join('\n\n')}\n`)
})
