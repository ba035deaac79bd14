import { checkNames } from '../../engine/contract/nearest.js'
import type { Option, Options, Settled, Table } from './option.js'

/**
 * Checks the options of a program and fills in the defaults. The result can be settled again. Throws an Error that names an
 * unknown option with the nearest known one, or the valid values.
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

export function pick<T extends Table>(table: T, options: object): Options<T> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(table, name))) as Options<T>
}

function goodValue(name: string, { is }: Option, given: unknown): unknown {
  const value = is.read(given)
  if (value !== undefined) return value
  throw new Error(`${name} ${is.wrong ?? `is ${given}`}: give ${is.wanted}.`)
}
