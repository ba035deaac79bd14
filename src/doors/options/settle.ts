import { checkNames } from '../../contract/nearest.js'
import type { Option, Options, Settled, Table } from './option.js'

/**
 * Checks what a program gave, and puts in the defaults. What is settled can be settled again. Throws an Error that names
 * an option that there is not and the nearest one, or the good values.
 */
export function settle<T extends Table>(table: T, given: object): Settled<T> {
  checkNames(given, Object.keys(table))
  const values = given as Record<string, unknown>
  const isPublic = values.public === true
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, option]) => {
      const value = values[name] ?? (isPublic ? (option.public ?? option.default) : option.default)
      return value === undefined ? [] : [[name, goodValue(name, option, value)]]
    })
  ) as Settled<T>
}

/** The options that a table has. */
export function pick<T extends Table>(table: T, options: object): Options<T> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(table, name))) as Options<T>
}

function goodValue(name: string, { is }: Option, given: unknown): unknown {
  const value = is.read(given)
  if (value !== undefined) return value
  throw new Error(`${name} ${is.wrong ?? `is ${given}`}: give ${is.wanted}.`)
}
