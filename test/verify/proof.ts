import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { verify } from '../../src/apis/knowledge-chat/scenes/index.js'
import { packageRoot } from '../../src/engine/contract/load.js'
import type { Finding } from '../../src/tools/verify/results.js'

/** No machine is too slow. */
const patience = 600_000
const cases = 10
/** The part of results.md that is written by hand. */
const firstRun = '## The first run\n'

/** A bug or a choice of a service in another language. */
export interface Switch {
  name: string
  says: string
  /** The operations that show it. */
  operation: string | null
}

export interface Switched {
  bugs?: readonly string[]
  choices?: readonly string[]
}

/** A running service of the interface that shares nothing with the mock. */
export interface Service {
  url: string
  adminToken: string
  userToken: string
  /** Rows that a test may change and delete. */
  disposable: Record<string, (number | string)[]>
  /** Rows that a test may read: a file of each status that no list shows. */
  known: { file: string[] }
  close: () => Promise<void>
}

/** Starts a program with the bugs and choices that are named, and reads its first line. */
export async function startProgram(
  [command, ...args]: readonly [string, ...string[]],
  { choices = [], bugs = [] }: Switched
): Promise<{ line: string; close: () => Promise<void> }> {
  const switches = [...bugs.flatMap((name) => ['--bug', name]), ...choices.flatMap((name) => ['--choice', name])]
  const child = spawn(command, [...args, ...switches], { stdio: ['pipe', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const ended = once(child, 'close')
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(([code]) => {
      throw new Error(`The service ended with ${code}: ${errors}`)
    })
  ])
  return {
    line,
    async close() {
      // It ends when its input does.
      child.stdin.end()
      await ended
    }
  }
}

/**
 * Runs `verify` on a right service, on each of its choices and on each of its bugs. After a run over all of them it writes
 * results.md in the folder of the service.
 */
export function prove({
  folder,
  language,
  start,
  all,
  bugs,
  choices,
  missed,
  wrong = {}
}: {
  folder: string
  language: string
  start: (switched: Switched) => Promise<Service>
  all: { bugs: readonly Switch[]; choices: readonly Switch[] }
  /** Those of them that this run tries. */
  bugs: readonly Switch[]
  choices: readonly Switch[]
  /** The bugs that are not found, with the reason. */
  missed: Readonly<Record<string, string>>
  /** The choices in which a fault is found, with the reason. */
  wrong?: Readonly<Record<string, string>>
}): void {
  async function findingsOf(switched: Switched, operations = '*'): Promise<Finding[]> {
    const { url, adminToken, userToken, disposable, known, close } = await start(switched)
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
    `on a right service in ${language}, verify finds nothing`,
    async () => {
      expect(await findingsOf({})).toEqual([])
    },
    patience
  )

  test.each(choices.map(({ name, says }) => [name, says]))(
    `the choice %s of a service in ${language} is not a fault: %s`,
    async (name) => {
      const findings = await findingsOf({ choices: [name] })
      alarms.set(name, findings.length > 0)
      if (name in wrong) expect(findings).not.toEqual([])
      else expect(findings).toEqual([])
    },
    patience
  )

  test.each(bugs.map(({ name, says, operation }) => [name, says, operation] as const))(
    `the bug %s of a service in ${language} is found: %s`,
    async (name, _, operation) => {
      const found = (operations?: string) =>
        findingsOf({ bugs: [name] }, operations).catch((error) => {
          if (!(name in missed)) throw error
          return []
        })
      const near = operation === null ? [] : await found(operation)
      const findings = near.length > 0 ? near : await found()
      caught.set(name, findings.length > 0)
      expect(findings.length > 0).toBe(!(name in missed))
    },
    patience
  )

  afterAll(() => {
    if (caught.size < all.bugs.length || alarms.size < all.choices.length) return
    const lost = all.bugs.filter(({ name }) => !caught.get(name))
    const alarming = all.choices.filter(({ name }) => alarms.get(name))
    const line = ({ name, says }: Switch) => `- \`${name}\`: ${says} ${missed[name] ?? wrong[name] ?? ''}`.trim()
    const parts = [
      `# A service in ${language}`,
      `\`npm run verify:proof\`. The service in this folder is written from the description alone, in plain ${language}. \`verify --mutating\` finds nothing on it as it is. It finds ${all.bugs.length - lost.length} of its ${all.bugs.length} bugs, and a fault in ${alarming.length} of its ${all.choices.length} legal choices. A file of each status is named, as \`--known\` does.`,
      '## Bugs that are missed',
      lost.map(line).join('\n') || 'None.',
      '## Choices that are taken for faults',
      alarming.map(line).join('\n') || 'None.'
    ]
    const file = join(packageRoot(), 'test/verify', folder, 'results.md')
    const [, first] = existsSync(file) ? readFileSync(file, 'utf8').split(firstRun) : []
    if (first !== undefined) parts.push(`${firstRun}${first.trimEnd()}`)
    writeFileSync(file, `${parts.join('\n\n')}\n`)
  })
}
