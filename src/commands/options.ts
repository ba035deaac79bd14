import { type Command, InvalidArgumentError, Option } from 'commander'
import { readJson } from '../contract/load.js'
import { profiles } from '../mock/assumptions.js'

/** An option whose value may also come from the environment: KCM_PORT for --port. */
export function option(flags: string, description: string): Option {
  const made = new Option(flags, description)
  return made.env(`KCM_${made.long?.slice(2).replaceAll('-', '_').toUpperCase()}`)
}

const yes = ['1', 'true', 'yes', 'on']
const no = ['', '0', 'false', 'no', 'off']

/** Reads what the environment says of the flags of a command, which have no value on the command line. */
export function readFlags(command: Command): void {
  for (const flag of command.options.filter((it) => it.isBoolean())) {
    const name = flag.attributeName()
    if (flag.envVar === undefined || command.getOptionValueSource(name) !== 'env') continue
    const text = (process.env[flag.envVar] ?? '').toLowerCase()
    if (no.includes(text)) command.setOptionValueWithSource(name, undefined, 'default')
    else if (!yes.includes(text)) {
      command.error(`error: ${flag.envVar} is "${text}": give true or false, for ${flag.long}.`)
    }
  }
}

export const profileOption = () =>
  option('--profile <name>', 'whose choices the assumptions start with')
    .choices([...profiles])
    .default('documented')

export const assumeOption = () =>
  option(
    '--assume <id=choice>',
    'switch an assumption, or those of a JSON file: @<file>; repeatable, or separated by commas in the environment'
  ).argParser((text: string, before: string[] = []) => [
    ...before,
    ...(text.startsWith('@') ? pairsIn(text.slice(1)) : splitPairs(text))
  ])

export const contractsOption = () =>
  option('--contracts <folder>', 'the contracts and the ledger (default: those of the package)')

/** The choices of a file, as `verify --write-assumptions` writes them. */
function pairsIn(file: string): string[] {
  try {
    return Object.entries(readJson(file)).map(([id, choice]) => `${id}=${choice}`)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}

/** A choice may hold commas itself, so a comma separates only where an `id=` follows. */
function splitPairs(text: string): string[] {
  return text.split(/,(?=[a-z-]+(?:\.[a-z_-]+)?=)/)
}

export function wholeNumber(text: string): number {
  const value = Number(text)
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value)) throw new InvalidArgumentError('Give a whole number.')
  return value
}

export function portNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 65535) {
    throw new InvalidArgumentError('Give a port from 1 to 65535, or 0 for any free one.')
  }
  return value
}

export function positiveNumber(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value > 0)) throw new InvalidArgumentError('Give a number above 0.')
  return value
}

export function notNegative(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0)) throw new InvalidArgumentError('Give a number from 0.')
  return value
}
