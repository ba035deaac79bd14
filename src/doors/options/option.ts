import { checkNames } from '../../engine/contract/nearest.js'
import { durationOf } from '../../engine/sandbox/duration.js'
import type { Kind } from './kinds.js'

/** One option. Its flag and its environment variable follow from its name: `portFile`, `--port-file`, `KCM_PORT_FILE`. */
export interface Option {
  // biome-ignore lint/suspicious/noExplicitAny: an option of any kind
  is: Kind<any, any>
  default?: unknown
  /** The default of the command line, if it differs. */
  commandLine?: unknown
  /** The default with `public`. */
  public?: unknown
  /** What applies without the option, if no value describes it. */
  otherwise?: string
  /** Markdown, for the tables in README.md. The help and the declarations show it without links. */
  help: string
  /** Its heading in the help and in README.md. */
  group?: string
  /** `serve`: not for `proxy`, which listens too. `program`: not on the command line. Default: everywhere. */
  only?: 'serve' | 'program'
}

export type Table = Record<string, Option>

/** Puts the options of a table under a heading. */
export function grouped<const T extends Table>(group: string, table: T): T {
  return Object.fromEntries(Object.entries(table).map(([name, option]) => [name, { ...option, group }])) as T
}

type GivenOf<O extends Option> = O['is'] extends Kind<infer Given, infer _> ? Given : never
type ValueOf<O extends Option> = O['is'] extends Kind<infer _, infer Value> ? Value : never

/** What a program may give. */
export type Options<T extends Table> = { -readonly [K in keyof T]?: GivenOf<T[K]> }

export type Settled<T extends Table> = {
  -readonly [K in keyof T as T[K] extends { default: unknown } ? K : never]: ValueOf<T[K]>
} & {
  -readonly [K in keyof T as T[K] extends { default: unknown } ? never : K]?: ValueOf<T[K]>
}

/**
 * Checks the options of a program and fills in the defaults. The result can be settled again. Throws an Error that names an
 * unknown option with the nearest known one, or the valid values.
 */
export function settle<T extends Table>(table: T, options: object): Settled<T> {
  checkNames(options, Object.keys(table))
  const values = options as Record<string, unknown>
  const isPublic = values.public === true
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, option]) => {
      const value = values[name] ?? (isPublic ? (option.public ?? option.default) : option.default)
      return value === undefined ? [] : [[name, goodValue(name, option, value)]]
    })
  ) as Settled<T>
}

function goodValue(name: string, { is }: Option, raw: unknown): unknown {
  const value = is.read(raw)
  if (value !== undefined) return value
  throw new Error(`${name} ${is.wrong ?? `is ${raw}`}: give ${is.wanted}.`)
}

/** The options of another table that this one has, too. */
export function pick<T extends Table>(table: T, options: object): Options<T> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(table, name))) as Options<T>
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export function withoutLinks(help: string): string {
  return help.replace(/: \[[^[\]]*\]\([^()]*\)/g, '')
}

/** `--reset-every <duration>` */
export function flagOf(name: string, { is }: Option): string {
  return `--${kebab(name)}${is.placeholder ? ` <${is.placeholder}>` : ''}`
}

export const variableOf = (name: string) => `KCM_${kebab(name).replaceAll('-', '_').toUpperCase()}`

/** A default as a user would write it: 16KiB for 16384 bytes, 1h for 3600 seconds. */
export function shown({ is }: Option, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (is.unit && typeof value === 'number' && value > 0)
    return durationOf(is.unit === 'seconds' ? value * 1000 : value).slice(1)
  if (is.placeholder !== 'bytes' || typeof value !== 'number') return String(value)
  const [size, unit] = value % 1024 ** 2 === 0 ? [value / 1024 ** 2, 'MiB'] : [value / 1024, 'KiB']
  return value > 0 && Number.isInteger(size) ? `${size}${unit}` : String(value)
}
