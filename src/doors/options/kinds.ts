import { readDuration } from '../../engine/sandbox/duration.js'

/** The type of an option: how texts of the command line are read, and what a program may give. */
export interface Kind<Given = unknown, Value = Given> {
  /** The TypeScript type in the package's declarations. */
  type: string
  /** The valid values, as words that follow "Give". */
  wanted: string
  /** The name of the value in the help, without brackets. Flags have none. */
  placeholder?: string
  choices?: readonly string[]
  /** The unit of a duration's value. */
  unit?: 'seconds' | 'milliseconds'
  /** Can be repeated on the command line. `read` then gets a list. */
  isList?: boolean
  /** What is wrong with a value that must not appear in messages. */
  wrong?: string
  /** Converts a text of the command line or the environment to what a program would give. Default: no conversion. */
  parse?(text: string): unknown
  /** The value, or undefined if it is invalid. */
  read(given: unknown): Value | undefined
  /** Only for the types. */
  given?: Given
}

interface Range {
  from?: number
  above?: number
  to?: number
  isWhole?: boolean
  /** A remark on one of the values. */
  note?: string
  placeholder?: string
}

export function number({ from, above, to, isWhole = false, note = '', placeholder = 'number' }: Range): Kind<number> {
  const range = [from !== undefined && `from ${from}`, above !== undefined && `above ${above}`, to && `to ${to}`]
  const said = range.filter(Boolean).join(from === undefined ? ' and up ' : ' ')
  return {
    type: 'number',
    wanted: `a ${isWhole ? 'whole ' : ''}number${said && ` ${said}`}${note}`,
    placeholder,
    parse: (text) => ((isWhole ? /^-?\d+$/ : /\S/).test(text) ? Number(text) : Number.NaN),
    read(value) {
      if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
      if (isWhole && !Number.isSafeInteger(value)) return undefined
      const isInside = value >= (from ?? -Infinity) && value <= (to ?? Infinity) && !(value <= (above ?? -Infinity))
      return isInside ? value : undefined
    }
  }
}

export const wholeNumber = (range: Range = {}) => number({ ...range, isWhole: true })

const units: Record<string, number> = { '': 1, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 }

export function bytes(range: Range = { from: 0 }): Kind<number | string, number> {
  const any = number({ ...range, note: ', or one with KiB, MiB or GiB, such as 16MiB', placeholder: 'bytes' })
  return {
    ...any,
    type: 'number | string',
    parse: (text) => text,
    read(value) {
      if (typeof value !== 'string') return any.read(value)
      const [, count, unit = ''] = /^(\d+(?:\.\d+)?) ?([kmg]ib)?$/i.exec(value) ?? []
      return any.read(Number(count) * (units[unit.toLowerCase()] as number))
    }
  }
}

/** Node's timers are limited to 2³¹ milliseconds (24 days), and some wait a second longer. */
const longest = 2_147_482_000

interface Span {
  /** The unit of the value, and of a number that a program gives. */
  unit: 'seconds' | 'milliseconds'
  /** In milliseconds. */
  least?: number
  /** In days. Default: a longer one is cut to the longest time of a timer. */
  most?: number
}

/** A duration such as `30s` or `500ms`. On the command line a plain number is seconds, whatever the unit is. */
export function duration({ unit, least = 0, most }: Span): Kind<number | string, number> {
  const milliseconds = unit === 'seconds' ? 1000 : 1
  const form = 'such as "2h", "30s" or "500ms"'
  const from = least > 1 ? `from ${least} ms` : least > 0 ? 'above 0' : 'from 0'
  return {
    type: 'number | string',
    wanted:
      most === undefined
        ? `a number ${from}. It may have a unit, ${form}`
        : `a duration ${from}, and up to ${most}d, ${form}`,
    placeholder: 'duration',
    unit,
    parse: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? `${text}s` : text),
    read(value) {
      const length = typeof value === 'number' ? value * milliseconds : readDuration(value)
      if (length === undefined || !(length >= least) || length > (most ?? Infinity) * 86_400_000) return undefined
      return (most === undefined ? Math.min(length, longest) : length) / milliseconds
    }
  }
}

export function text(placeholder: string, rest: Partial<Kind<string>> = {}): Kind<string> {
  return {
    type: 'string',
    wanted: 'a non-empty text',
    placeholder,
    read: (value) => (typeof value === 'string' && value !== '' ? value : undefined),
    ...rest
  }
}

export function choice<const T extends string>(placeholder: string, choices: readonly T[]): Kind<T> {
  return {
    type: choices.map((it) => `'${it}'`).join(' | '),
    wanted: `one of ${choices.join(', ')}`,
    placeholder,
    choices,
    read: (value) => choices.find((it) => it === value)
  }
}

const yes = ['1', 'true', 'yes', 'on']
const no = ['', '0', 'false', 'no', 'off']

/** A flag. In the environment: true or false. */
export const flag: Kind<boolean> = {
  type: 'boolean',
  wanted: 'true or false',
  parse: (text) => yes.includes(text.toLowerCase()) || (!no.includes(text.toLowerCase()) && text),
  read: (value) => (typeof value === 'boolean' ? value : undefined)
}

/** Texts separated by commas, or a list of texts. `each` checks one of them. */
export function texts(
  placeholder: string,
  {
    each = () => true,
    wanted = 'a text, or a list of texts'
  }: { each?: (text: string) => boolean; wanted?: string } = {}
): Kind<string | readonly string[], readonly string[]> {
  return {
    type: 'string | readonly string[]',
    wanted,
    placeholder,
    read(value) {
      const all = typeof value === 'string' ? value.split(',').flatMap((it) => it.trim() || []) : value
      return isTexts(all) && all.every(each) ? all : undefined
    }
  }
}

/** A repeatable option. With a separator, one text may contain several values. */
export function several(placeholder: string, separator?: string): Kind<readonly string[]> {
  return {
    type: 'readonly string[]',
    wanted: 'a list of texts',
    placeholder,
    isList: true,
    parse: (value) => (separator ? value.split(separator) : [value]),
    read: (value) => (isTexts(value) ? value : undefined)
  }
}

/** An option for programs only. `type` is written as in a declaration. */
export function program<T extends object>(type: string): Kind<T> {
  const form = type.includes('=>') ? 'function' : 'object'
  return {
    type,
    wanted: `a${form === 'object' ? 'n' : ''} ${form}`,
    read: (value) => (typeof value === form ? (value as T) : undefined)
  }
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((it) => typeof it === 'string')
}
