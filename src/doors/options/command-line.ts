import { existsSync, readdirSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import { type Command, Option as CommanderOption } from 'commander'
import { readUserFile } from '../../engine/contract/message/user-file.js'
import { didYouMean } from '../../engine/contract/nearest.js'
import { loadAll } from '../with/modules.js'
import { flag } from './kinds.js'
import { flagOf, type Option, shown, type Table, variableOf, withoutLinks } from './option.js'

/** Adds the options of a table to a command, except those in `without`. Their values are checked before its action. */
export function addOptions(
  command: Command,
  table: Table,
  without: (option: Option) => boolean = () => false
): Command {
  for (const [name, option] of Object.entries(table)) {
    if (option.only !== 'program' && !without(option)) command.addOption(commanderOption(name, option))
  }
  return command
}

const described = new WeakMap<CommanderOption, Option>()

/** An option whose value may also come from the environment: `--port` or KCM_PORT. */
function commanderOption(name: string, option: Option): CommanderOption {
  const { is, group } = option
  const result = new CommanderOption(
    flagOf(name, option),
    withoutLinks(`${option.help}${said(option)}`).replaceAll('`', '')
  ).env(variableOf(name))
  // Commander takes --no-violations for the opposite of an option violations.
  result.negate = false
  described.set(result, option)
  if (group !== undefined) result.helpGroup(`${group}:`)
  // Only for the help: commander would show a wrong value, which may be a secret.
  if (is.choices) result.argChoices = [...is.choices]
  if (is.isList) result.argParser((text: string, before: string[] = []) => [...before, text])
  if (!setsDefault(option)) return result
  const value = option.commandLine ?? option.default
  return result.default(value, shown(option, value))
}

/** A default that depends on other options is filled in later. */
const setsDefault = (option: Option) =>
  option.public === undefined &&
  (option.commandLine ?? option.default) !== undefined &&
  option.is.placeholder !== undefined &&
  !Array.isArray(option.default)

function said(option: Option): string {
  if (setsDefault(option)) return ''
  if (option.public !== undefined)
    return ` (default: ${shown(option, option.default)}; ${shown(option, option.public)} with --public)`
  return option.otherwise === undefined ? '' : ` (default: ${option.otherwise})`
}

/**
 * Reads the values of a command: those of flags, else of the environment, else of a config file. Throws an Error that names the
 * wrong one and the valid values. Unknown variables get a warning.
 */
export async function readOptions(command: Command, all: readonly Command[], file: string | undefined): Promise<void> {
  const options = all.flatMap((it) => [it, ...it.commands]).flatMap((it) => it.options)
  const config = await readConfig(file, new Set(options.map((it) => it.attributeName())))
  for (const option of command.options) {
    const name = option.attributeName()
    if (config && name in config.values && !['cli', 'env'].includes(command.getOptionValueSource(name) ?? ''))
      command.setOptionValueWithSource(name, config.values[name], 'config')
  }
  checkOptions(command, config)
  const variables = new Set(['KCM_CONFIG', ...options.flatMap(({ envVar }) => envVar ?? [])])
  for (const name of Object.keys(process.env).filter((it) => it.startsWith('KCM_') && !variables.has(it))) {
    console.error(`warning: there is no variable ${name}. ${didYouMean(name, [...variables])}`)
  }
}

/** Checks the values that were given. Throws an Error that names the flag, the variable, or the option in the file. */
function checkOptions(command: Command, config: Config | undefined): void {
  for (const option of command.options) {
    const name = option.attributeName()
    const source = command.getOptionValueSource(name)
    const { is } = described.get(option) ?? { is: flag }
    const parse = (item: unknown): unknown => (typeof item === 'string' ? (is.parse?.(item) ?? item) : item)
    let raw = command.getOptionValue(name)
    let label = option.long
    if (source === 'env') {
      label = option.envVar
      // Commander takes any text for a yes.
      if (option.isBoolean()) raw = process.env[option.envVar as string]
    } else if (source === 'config' && config) {
      label = `${config.file}: ${name}`
      raw = placed(raw, is.placeholder, config.file)
    } else if (source !== 'cli') continue
    const text = is.wrong ?? `is ${JSON.stringify(raw)}`
    try {
      // A plain number means the same in a file as in a program.
      if (is.isList && Array.isArray(raw)) raw = raw.flatMap(parse)
      else if (source !== 'config') raw = parse(raw)
    } catch (error) {
      throw new Error(`${label} ${text}: ${(error as Error).message}`)
    }
    const value = is.read(raw)
    if (value === undefined) throw new Error(`${label} ${text}: give ${is.wanted}.`)
    command.setOptionValueWithSource(name, value, source)
  }
}

/** `knowledge-chat-mock.config.json`, and modules with a default export. */
const fileName = /^knowledge-chat-mock\.config\.(json|[mc]?[jt]s)$/

interface Config {
  file: string
  values: Record<string, unknown>
}

/**
 * Reads the config file: the given one, else that in the working directory. Undefined: there is none. Throws an Error that names
 * the file and an option that no command has, or several files.
 */
async function readConfig(path: string | undefined, names: ReadonlySet<string>): Promise<Config | undefined> {
  const file = path ?? configIn(process.cwd())
  if (file === undefined) return undefined
  if (!existsSync(file)) throw new Error(`there is no config file ${file}`)
  const isJson = file.endsWith('.json')
  const config = isJson ? readUserFile(file) : (await loadAll([file]))(file)
  const { default: own = config } = (config ?? {}) as { default?: unknown }
  if (typeof own !== 'object' || own === null || Array.isArray(own)) {
    throw new Error(`${file}: ${isJson ? 'give' : 'export by default'} an object of options`)
  }
  const unknown = Object.keys(own).find((name) => name !== '$schema' && !names.has(name))
  if (unknown !== undefined)
    throw new Error(`${file}: there is no option ${unknown}. ${didYouMean(unknown, [...names])}`)
  return { file, values: { ...own } }
}

function configIn(folder: string): string | undefined {
  const [file, ...others] = readdirSync(folder).filter((name) => fileName.test(name))
  if (others.length > 0) throw new Error(`there are several config files: ${[file, ...others].join(', ')}. Keep one.`)
  return file
}

/**
 * A value of a config file with absolute paths, which are relative to the file: in options for files and folders, after `=` in
 * reports, and after `@` in choices.
 */
export function placed(value: unknown, placeholder: string | undefined, file: string): unknown {
  if (Array.isArray(value)) return value.map((it) => placed(it, placeholder, file))
  if (typeof value !== 'string') return value
  const absolute = (path: string) => (isAbsolute(path) ? path : resolve(dirname(file), path))
  switch (placeholder) {
    case 'file':
    case 'folder':
    case 'path':
      return absolute(value)
    case 'folder, file or url':
      return /^\w+:\/\//.test(value) ? value : absolute(value)
    case 'name or file':
      return /[./\\]/.test(value) ? absolute(value) : value
    case 'forms': {
      const [form, path] = value.split(/=(.*)/s)
      return path === undefined ? value : `${form}=${absolute(path)}`
    }
    case 'id=choice':
      return value.startsWith('@') ? `@${absolute(value.slice(1))}` : value
    default:
      return value
  }
}
