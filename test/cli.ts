import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Command, CommanderError } from 'commander'
import { readOptions } from '../src/doors/options/command-line.js'
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
  return spawn(process.execPath, [main, ...args], {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
}

/** Runs a script of another folder, there. */
export function startIn(folder: string, args: string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: folder,
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
}

export function ended(child: ChildProcess): Promise<Ended> {
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) child[name]?.on('data', (chunk) => (texts[name] += chunk))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...texts })))
}

/** The message of a command about arguments that it refuses, in this process: a new process takes a third of a second. */
export async function refusalOf(command: Command, args: string[]): Promise<string> {
  let output = ''
  command.exitOverride().configureOutput({ writeErr: (text) => (output += text) })
  command.hook('preAction', () => readOptions(command, [command], undefined))
  try {
    await command.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) return `error: ${(error as Error).message}`
    if (error.exitCode !== 0) return output
    throw error
  }
  throw new Error(`${command.name()} ${args.join(' ')} is not refused`)
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
