import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { packageRoot } from '../src/engine/contract/load.js'

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

const main = join(packageRoot(), 'dist/main.js')

/** Runs the built command line to its end. */
export function run(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = start(args, env)
  return ended(child)
}

export function start(args: string[], env: Record<string, string> = {}): ChildProcess {
  return startIn(process.cwd(), [main, ...args], env)
}

const started = new Set<ChildProcess>()
// A file of tests leaves no process behind. Some programs that are not tests start processes, too.
globalThis.afterAll?.(() => {
  for (const child of started) child.kill('SIGKILL')
})

/** Runs a script of another folder, there. */
export function startIn(folder: string, args: string[], env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  started.add(child)
  child.once('exit', () => started.delete(child))
  return child
}

export function ended(child: ChildProcess): Promise<Ended> {
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) child[name]?.on('data', (chunk) => (texts[name] += chunk))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...texts })))
}

/** Waits for the ready line and returns the base address in it. */
export async function ready(child: ChildProcess): Promise<string> {
  let text = ''
  for await (const chunk of child.stdout as NonNullable<ChildProcess['stdout']>) {
    text += chunk
    const address = /^ready (\S+)\n/.exec(text)?.[1]
    if (address) return address
  }
  throw new Error(`ended without a ready line: ${text}`)
}

export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('KCM_') && name !== 'NODE_OPTIONS')
  )
}
