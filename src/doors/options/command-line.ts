import { type Command, Option as CommanderOption } from 'commander'
import { didYouMean } from '../../engine/contract/nearest.js'
import { type Config, placed, readConfig } from './config.js'
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
