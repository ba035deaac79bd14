/** What an option may be: how a text of the command line is read, and what a program may give. */
export interface Kind<Given = unknown, Value = Given> {
  /** In TypeScript, for the declarations of the package. */
  type: string
  /** The good values, in words that follow "Give". */
  wanted: string
  /** What stands for the value in the help, without the brackets; none for an option that is given or not. */
  placeholder?: string
  /** The only good values. */
  choices?: readonly string[]
  /** Can be given more than once on the command line; `read` then gets a list. */
  isList?: boolean
  /** Says what is wrong with a value that no message may show. */
  wrong?: string
  /** A text of the command line or of the environment, as a program would give it. Default: as it is. */
  parse?(text: string): unknown
  /** The value, or undefined where it is not a good one. */
  read(given: unknown): Value | undefined
  /** Only for the types. */
  given?: Given
}

interface Range {
  from?: number
  above?: number
  to?: number
  isWhole?: boolean
  /** Said of one of the values. */
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
    read(given) {
      if (typeof given !== 'number' || !Number.isFinite(given)) return undefined
      if (isWhole && !Number.isSafeInteger(given)) return undefined
      const isInside = given >= (from ?? -Infinity) && given <= (to ?? Infinity) && !(given <= (above ?? -Infinity))
      return isInside ? given : undefined
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
    read(given) {
      if (typeof given !== 'string') return any.read(given)
      const [, count, unit = ''] = /^(\d+(?:\.\d+)?) ?([kmg]ib)?$/i.exec(given) ?? []
      return any.read(Number(count) * (units[unit.toLowerCase()] as number))
    }
  }
}

/** Node's timers count no further than 2³¹ milliseconds, which is 24 days: a longer time is that long. */
const longest = 2_147_483
export const seconds = (): Kind<number> => {
  const any = number({ from: 0, placeholder: 'seconds' })
  return {
    ...any,
    read(given) {
      const value = any.read(given)
      return value === undefined ? undefined : Math.min(value, longest)
    }
  }
}
export const milliseconds = (range: Range = { from: 0 }) => number({ ...range, placeholder: 'milliseconds' })

export function text(placeholder: string, rest: Partial<Kind<string>> = {}): Kind<string> {
  return {
    type: 'string',
    wanted: 'a text that is not empty',
    placeholder,
    read: (given) => (typeof given === 'string' && given !== '' ? given : undefined),
    ...rest
  }
}

export function choice<const T extends string>(placeholder: string, choices: readonly T[]): Kind<T> {
  return {
    type: choices.map((it) => `'${it}'`).join(' | '),
    wanted: `one of ${choices.join(', ')}`,
    placeholder,
    choices,
    read: (given) => choices.find((it) => it === given)
  }
}

/** Given or not. In the environment: true or false. */
export const flag: Kind<boolean> = {
  type: 'boolean',
  wanted: 'true or false',
  read: (given) => (typeof given === 'boolean' ? given : undefined)
}

/** Texts between commas, or a list of them. `each`: whether one of them is good. */
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
    read(given) {
      const all = typeof given === 'string' ? given.split(',').flatMap((it) => it.trim() || []) : given
      return isTexts(all) && all.every(each) ? all : undefined
    }
  }
}

/** An option that is given once for each of its values; with a separator, one text may hold several. */
export function several(placeholder: string, separator?: string): Kind<readonly string[]> {
  return {
    type: 'readonly string[]',
    wanted: 'a list of texts',
    placeholder,
    isList: true,
    parse: (given) => (separator ? given.split(separator) : [given]),
    read: (given) => (isTexts(given) ? given : undefined)
  }
}

/** For programs only: it has no text. `type` is written as in a declaration. */
export function program<T extends object>(type: string): Kind<T> {
  const wanted = type.includes('=>') ? 'function' : 'object'
  return {
    type,
    wanted: `a${wanted === 'object' ? 'n' : ''} ${wanted}`,
    read: (given) => (typeof given === wanted ? (given as T) : undefined)
  }
}

export function isTexts(given: unknown): given is string[] {
  return Array.isArray(given) && given.every((it) => typeof it === 'string')
}
