import { durationOf } from '../../engine/sandbox/duration.js'
import type { Kind } from './kinds.js'

/** One option. Its flag and its environment variable follow from its name: `maxDelay`, `--max-delay`, `KCM_MAX_DELAY`. */
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
  /** Markdown, for the table in README.md. The help and the declarations show it without links. */
  help: string
  /** `serve`: not for `proxy`, which listens too. `program`: not on the command line. Default: everywhere. */
  only?: 'serve' | 'program'
}

export type Table = Record<string, Option>

type GivenOf<O extends Option> = O['is'] extends Kind<infer Given, infer _> ? Given : never
type ValueOf<O extends Option> = O['is'] extends Kind<infer _, infer Value> ? Value : never

/** What a program may give. */
export type Options<T extends Table> = { -readonly [K in keyof T]?: GivenOf<T[K]> }

/** The options with their defaults. */
export type Settled<T extends Table> = {
  -readonly [K in keyof T as T[K] extends { default: unknown } ? K : never]: ValueOf<T[K]>
} & {
  -readonly [K in keyof T as T[K] extends { default: unknown } ? never : K]?: ValueOf<T[K]>
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** `--max-delay <duration>` */
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
