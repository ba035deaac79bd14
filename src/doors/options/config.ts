import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import type { Command, Option as CommanderOption } from 'commander'
import { didYouMean } from '../../engine/contract/nearest.js'
import { loadAll } from '../with/modules.js'
import { optionOf } from './command-line.js'

/** `knowledge-chat-mock.config.json`, and modules with a default export. */
const fileName = /^knowledge-chat-mock\.config\.(json|js|mjs|cjs|ts)$/

/**
 * Gives a command the options of the config file that it knows. Flags and environment variables win. Throws an Error that names
 * the file, the option and the valid values, or several files in the working directory.
 */
export async function applyConfig(command: Command, all: readonly Command[], given: string | undefined): Promise<void> {
  const file = given ?? configIn(process.cwd())
  if (file === undefined) return
  if (!existsSync(file)) throw new Error(`there is no config file ${file}`)
  const options = all.flatMap((it) => [it, ...it.commands]).flatMap((it) => it.options)
  const names = [...new Set(options.map((it) => it.attributeName()))]
  for (const [name, value] of Object.entries(await read(file))) {
    if (name === '$schema') continue
    if (!names.includes(name)) throw new Error(`${file}: there is no option ${name}. ${didYouMean(name, names)}`)
    const option = command.options.find((it) => it.attributeName() === name)
    if (!option || ['cli', 'env'].includes(command.getOptionValueSource(name) ?? '')) continue
    command.setOptionValueWithSource(name, checkedValue(option, value, file), 'config')
  }
}

function configIn(folder: string): string | undefined {
  const [file, ...others] = readdirSync(folder).filter((name) => fileName.test(name))
  if (others.length > 0) throw new Error(`there are several config files: ${[file, ...others].join(', ')}. Keep one.`)
  return file
}

async function read(file: string): Promise<object> {
  const config = file.endsWith('.json') ? parse(file) : (await loadAll([file]))(file)
  const { default: own = config } = (config ?? {}) as { default?: unknown }
  if (typeof own !== 'object' || own === null || Array.isArray(own)) {
    throw new Error(`${file}: ${file.endsWith('.json') ? 'give' : 'export by default'} an object of options`)
  }
  return own
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`)
  }
}

/** A checked value. Paths are relative to the file. */
function checkedValue(made: CommanderOption, given: unknown, file: string): unknown {
  const name = made.attributeName()
  const option = optionOf(made)
  const wanted = option?.is.wanted ?? (made.isBoolean() ? 'true or false' : `a text${choicesOf(made)}`)
  const inPlace = placed(given, option?.is.placeholder ?? '', dirname(resolve(file)))
  const value = option ? option.is.read(inPlace) : isFitting(made, given) ? inPlace : undefined
  if (value !== undefined) return value
  const wrong = option?.is.wrong ?? `is ${JSON.stringify(given)}`
  throw new Error(`${file}: ${name} ${wrong}: give ${wanted}.`)
}

const choicesOf = ({ argChoices }: CommanderOption) => (argChoices ? `, one of ${argChoices.join(', ')}` : '')

function isFitting(made: CommanderOption, given: unknown): boolean {
  if (made.isBoolean()) return typeof given === 'boolean'
  return typeof given === 'string' && (made.argChoices?.includes(given) ?? true)
}

/** A value whose paths are absolute: in options for files and folders, after `=` in reports, and after `@` in choices. */
function placed(value: unknown, placeholder: string, folder: string): unknown {
  if (Array.isArray(value)) return value.map((it) => placed(it, placeholder, folder))
  if (typeof value !== 'string') return value
  const absolute = (path: string) => (isAbsolute(path) ? path : resolve(folder, path))
  switch (placeholder) {
    case 'file':
    case 'folder':
    case 'path':
      return absolute(value)
    case 'folder, file or url':
      return /^\w+:\/\//.test(value) ? value : absolute(value)
    case 'name or file':
      return /[./\\]/.test(value) ? absolute(value) : value
    case 'forms':
      return value.replace(/=(.+)$/, (_, path: string) => `=${absolute(path)}`)
    case 'id=choice':
      return value.replace(/^@(.+)$/, (_, path: string) => `@${absolute(path)}`)
    default:
      return value
  }
}
