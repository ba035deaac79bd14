import { fileURLToPath } from 'node:url'
import { type Service, type Switch, type Switched, startProgram } from '../proof.js'

/** The service. */
export const program = fileURLToPath(new URL('service.py', import.meta.url))

/** A bug or a choice, as `service.py --list` prints it. */
export interface ThirdSwitch extends Switch {
  /** The place in the description that it breaks, or that leaves it open. */
  section: string
  kind: string
}

export interface ThirdChoice extends ThirdSwitch {
  /** The entry of the ledger and its value, where there is one. */
  ledger: string | null
  value: string | null
}

/** A running service of the interface in Python that shares nothing with the mock. */
export interface Third extends Service {
  curatorToken: string
  disposable: Record<
    'persona' | 'connector' | 'credential' | 'tool' | 'limit' | 'file' | 'project' | 'user',
    (number | string)[]
  >
}

/** Starts the service on a free port, with the choices and bugs that are named. */
export async function startThird(switched: Switched = {}): Promise<Third> {
  const { line, close } = await startProgram(['python3', program], switched)
  const { port, ...rest } = JSON.parse(line) as Omit<Third, 'url' | 'close'> & { port: number }
  return { url: `http://127.0.0.1:${port}`, ...rest, close }
}
