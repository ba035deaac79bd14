import { format } from 'node:util'
import { type Command, CommanderError } from 'commander'
import { readOptions } from '../src/doors/options/command-line.js'
import { cleanEnvironment, type Ended } from './cli.js'

/** Where a command runs in this process. */
interface Place {
  /** Its working directory. Default: that of the tests. */
  folder?: string
  env?: Record<string, string>
}

/**
 * Runs a command in this process, as `main.ts` does: a new process takes a third of a second. For commands that end by
 * themselves, one at a time, because the output is that of the whole process.
 */
export async function invoke(command: Command, args: string[], { folder, env = {} }: Place = {}): Promise<Ended> {
  const texts = { stdout: '', stderr: '' }
  const before = { env: { ...process.env }, folder: process.cwd(), write: process.stdout.write, error: console.error }
  const set = (variables: NodeJS.ProcessEnv) => {
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name]
    Object.assign(process.env, variables)
  }
  for (const it of [command, ...command.commands]) {
    it.exitOverride().configureOutput({
      writeOut: (text) => (texts.stdout += text),
      writeErr: (text) => (texts.stderr += text)
    })
  }
  command.hook('preAction', (_, actual) => readOptions(actual, [command], undefined))
  set({ ...cleanEnvironment(), ...env })
  if (folder !== undefined) process.chdir(folder)
  process.stdout.write = (text: string | Uint8Array) => {
    texts.stdout += text
    return true
  }
  console.error = (...values) => (texts.stderr += `${format(...values)}\n`)
  try {
    await command.parseAsync(args, { from: 'user' })
    return { code: Number(process.exitCode ?? 0), ...texts }
  } catch (error) {
    if (!(error instanceof CommanderError)) texts.stderr += `error: ${(error as Error).message}\n`
    return { code: error instanceof CommanderError && error.exitCode === 0 ? 0 : 2, ...texts }
  } finally {
    Object.assign(process.stdout, { write: before.write })
    console.error = before.error
    process.exitCode = undefined
    process.chdir(before.folder)
    set(before.env)
  }
}

/** The message of a command about arguments that it refuses. */
export async function refusalOf(command: Command, args: string[]): Promise<string> {
  const { code, stderr } = await invoke(command, args)
  if (code === 0) throw new Error(`${command.name()} ${args.join(' ')} is not refused`)
  return stderr
}
