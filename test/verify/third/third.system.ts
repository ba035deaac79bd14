import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verify } from '../../../src/apis/knowledge-chat/scenes/index.js'
import { packageRoot } from '../../../src/engine/contract/load.js'
import type { Finding } from '../../../src/tools/verify/results.js'
import { isWhole, sampled } from '../../extent.js'
import { missed } from './missed.js'
import { program, startThird, type ThirdChoice, type ThirdSwitch } from './start.js'

/** The switches of the service, which it lists itself. */
const listed = execFileSync('python3', [program, '--list'], { encoding: 'utf8', maxBuffer: 4 * 1024 * 1024 })
const { bugs, choices } = JSON.parse(listed) as { bugs: ThirdSwitch[]; choices: ThirdChoice[] }

/** No machine is too slow. */
const patience = 600_000
const cases = isWhole ? 10 : 2

async function findingsOf(switches: Parameters<typeof startThird>[0], operations = '*'): Promise<Finding[]> {
  const { url, adminToken, userToken, disposable, known, close } = await startThird(switches)
  try {
    const settings = { mutating: true, disposable, known, operations, cases, timeout: 300_000 }
    return (await verify({ url, token: adminToken, userToken, ...settings })).findings
  } finally {
    await close()
  }
}

const caught = new Map<string, string[]>()

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
    expect(await findingsOf({ choices: [name] })).toEqual([])
  },
  patience
)

test.each(sampled(bugs, 60).map(({ name, says, operation }) => [name, says, operation] as const))(
  'the bug %s of a service in Python is found: %s',
  async (name, _, operation) => {
    const near = operation === null ? [] : await findingsOf({ bugs: [name] }, operation)
    const findings = near.length > 0 ? near : await findingsOf({ bugs: [name] })
    caught.set(
      name,
      findings.map(({ check }) => check)
    )
    expect(findings.length > 0).toBe(!missed.includes(name))
  },
  patience
)

afterAll(() => {
  if (caught.size < bugs.length) return
  const lost = bugs.filter(({ name }) => caught.get(name)?.length === 0)
  const lines = lost.map(({ name, says }) => `- \`${name}\`: ${says}`)
  const head = `# A service in Python\n\n\`npm run verify:proof\`: ${bugs.length - lost.length} of ${bugs.length} bugs are found. Missed:\n\n`
  writeFileSync(join(packageRoot(), 'test/verify/third/results.md'), `${head}${lines.join('\n')}\n`)
})
