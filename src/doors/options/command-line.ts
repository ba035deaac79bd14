import { type Command, Option as CommanderOption, InvalidArgumentError } from 'commander'
import { didYouMean } from '../../engine/contract/nearest.js'
import { flagOf, type Option, shown, type Table, variableOf } from './option.js'

/** Adds the options of a table to a command, except those in `without`. */
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

/** An option whose value may also come from the environment: `--port` or KCM_PORT. */
function commanderOption(name: string, option: Option): CommanderOption {
  const { is } = option
  const made = new CommanderOption(flagOf(name, option), plain(`${option.help}${said(option)}`)).env(variableOf(name))
  if (option.group !== undefined) made.helpGroup(`${option.group}:`)
  described.set(made, option)
  if (is.choices) made.choices(is.choices)
  else if (is.placeholder) made.argParser((text: string, before: unknown) => parsed(option, text, before))
  return setsDefault(option)
    ? made.default(option.commandLine ?? option.default, shown(option, option.commandLine ?? option.default))
    : made
}

const described = new WeakMap<CommanderOption, Option>()

/** The option of a table that an option of commander was made of. */
export function optionOf(made: CommanderOption): Option | undefined {
  return described.get(made)
}

function parsed({ is }: Option, text: string, before: unknown): unknown {
  try {
    const given = is.parse?.(text) ?? text
    if (is.isList) return [before ?? [], given].flat()
    const value = is.read(given)
    if (value === undefined && is.wrong === undefined) throw new Error(`Give ${is.wanted}.`)
    return value ?? given
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
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

function plain(markdown: string): string {
  return markdown.replace(/: \[[^[\]]*\]\([^()]*\)|`/g, '')
}

const yes = ['1', 'true', 'yes', 'on']
const no = ['', '0', 'false', 'no', 'off']

/** Checks what commander cannot: secrets, flags in the environment, and unknown variables. */
export function checkGiven(command: Command, all: readonly Command[]): void {
  checkSecrets(command)
  readFlags(command)
  const commands = all.flatMap((it) => [it, ...it.commands])
  const known = new Set(commands.flatMap(({ options }) => options.flatMap(({ envVar }) => envVar ?? [])))
  for (const name of Object.keys(process.env).filter((it) => it.startsWith('KCM_') && !known.has(it))) {
    console.error(`warning: there is no variable ${name}. ${didYouMean(name, [...known])}`)
  }
}

/** Values that must not appear in messages. Commander would show them. */
function checkSecrets(command: Command): void {
  for (const made of command.options) {
    const is = described.get(made)?.is
    const value = command.getOptionValue(made.attributeName())
    if (is?.wrong === undefined || value === undefined || is.read(value) !== undefined) continue
    const name = command.getOptionValueSource(made.attributeName()) === 'env' ? made.envVar : made.long
    command.error(`error: ${name} ${is.wrong}: give ${is.wanted}.`)
  }
}

/** Reads the flags of a command from the environment. */
function readFlags(command: Command): void {
  for (const flag of command.options.filter((it) => it.isBoolean())) {
    const name = flag.attributeName()
    if (flag.envVar === undefined || command.getOptionValueSource(name) !== 'env') continue
    const text = (process.env[flag.envVar] ?? '').toLowerCase()
    if (no.includes(text)) command.setOptionValueWithSource(name, undefined, 'default')
    else if (!yes.includes(text)) {
      command.error(`error: ${flag.envVar} is "${text}": give true or false.`)
    }
  }
}
