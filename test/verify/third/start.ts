import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The service. */
export const program = fileURLToPath(new URL('service.py', import.meta.url))

/** A bug or a choice, as `service.py --list` prints it. */
export interface ThirdSwitch {
  name: string
  says: string
  /** The place in the description that it breaks, or that leaves it open. */
  section: string
  kind: string
  /** The operation that shows it. */
  operation: string | null
}

export interface ThirdChoice extends ThirdSwitch {
  /** The entry of the ledger and its value, where there is one. */
  ledger: string | null
  value: string | null
}

/** A running service of the interface in Python that shares nothing with the mock. */
export interface Third {
  url: string
  adminToken: string
  userToken: string
  curatorToken: string
  /** Rows that a test may change and delete. */
  disposable: Record<
    'persona' | 'connector' | 'credential' | 'tool' | 'limit' | 'file' | 'project' | 'user',
    (number | string)[]
  >
  /** Rows that a test may read: a file of each status that no list shows. */
  known: { file: string[] }
  close: () => Promise<void>
}

/** Starts the service on a free port, with the choices and bugs that are named. */
export async function startThird({
  choices = [],
  bugs = []
}: {
  choices?: readonly string[]
  bugs?: readonly string[]
} = {}): Promise<Third> {
  const switches = [...bugs.flatMap((name) => ['--bug', name]), ...choices.flatMap((name) => ['--choice', name])]
  const child = spawn('python3', [program, ...switches], { stdio: ['pipe', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const ended = once(child, 'close')
  const first = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(([code]) => {
      throw new Error(`The Python service ended with ${code}: ${errors}`)
    })
  ])
  const { port, ...rest } = JSON.parse(first[0]) as Omit<Third, 'url' | 'close'> & { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    ...rest,
    async close() {
      // It ends when its input does.
      child.stdin.end()
      await ended
    }
  }
}
