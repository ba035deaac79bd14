import type { Lifecycle, LifecycleStep, StatusContext } from '../../engine/api.js'
import { isObject } from '../../engine/contract/load.js'
import { WrongDefinition } from '../../engine/contract/message/user-file.js'
import type { OpenApiDocument } from '../../engine/contract/model.js'
import { didYouMean } from '../../engine/contract/nearest.js'
import { partsOf } from '../../engine/contract/schemas/schemas.js'
import type { AnyRow } from '../../engine/store/collection.js'

/** How the status of a collection's rows changes. It is a function of the sandbox's clock. */
export interface StatusOfRows extends Pick<Lifecycle, 'field' | 'stages' | 'shifts'> {
  /** The status of a row now, and the next one, both by the time. Undefined: it has the stored one, and keeps it. */
  next?(at: StatusContext, row: AnyRow): ({ name?: string; status: string } & LifecycleStep) | undefined
  /** Sets the status by hand. Absent: the field gets it. */
  setStatus?(at: StatusContext, row: AnyRow, to: string): void
}

/** The first mistake in the lifecycles of a definition, without running them. */
export function mistakeIn(
  { key, document, collections }: OpenApiDocument,
  lifecycles: Readonly<Record<string, StatusOfRows>>
): string | undefined {
  const names = collections.map(({ name }) => name)
  for (const [name, lifecycle] of Object.entries(lifecycles)) {
    const { field, stages, next, setStatus } = lifecycle ?? {}
    const wrong = (text: string) => `lifecycles.${name}${text}`
    const collection = collections.find((it) => it.name === name)
    if (!collection) return wrong(` is not a collection. ${didYouMean(name, names)}`)
    const isList = Array.isArray(stages) && stages.every((it) => Array.isArray(it)) && stages.length > 0
    if (typeof field !== 'string' || !isList)
      return wrong(" needs a field and stages, such as [['pending'], ['paid', 'failed']].")
    const properties = (collection.row.properties ?? {}) as Record<string, object>
    if (!Object.hasOwn(properties, field))
      return wrong(`.field: rows of ${name} have no field ${field}. ${didYouMean(field, Object.keys(properties))}`)
    const statuses = stages.flat()
    const twice = statuses.find((it, at) => statuses.indexOf(it) < at)
    if (twice !== undefined) return wrong(`.stages has the status ${twice} twice.`)
    const choices = partsOf({ [key]: document }, properties[field] as never).flatMap((it) =>
      [it.enum ?? it.const ?? []].flat()
    )
    const other = statuses.find((it) => typeof it !== 'string' || (choices.length > 0 && !choices.includes(it)))
    if (other !== undefined) {
      const values = choices.length > 0 ? `a value of ${field}: ${choices.join(', ')}` : 'a text'
      return wrong(`.stages has the status ${shownValue(other)}, which is not ${values}.`)
    }
    for (const [part, it] of Object.entries({ next, setStatus }))
      if (it !== undefined && typeof it !== 'function') return wrong(`.${part} must be a function.`)
  }
  return undefined
}

/** The lifecycle of a collection by its definition. What its functions do wrong is an error that names the collection. */
export function lifecycleOf(collection: string, { next, setStatus, ...others }: StatusOfRows): Lifecycle {
  const { field, stages } = others
  const statuses = stages.flat()
  const called = <It>(name: string, work: () => It): It => {
    const wrong = (text: string, cause?: unknown) =>
      new WrongDefinition(`lifecycles.${collection}.${name} ${text}`, cause)
    let result: It
    try {
      result = work()
    } catch (error) {
      throw wrong(`throws an error: ${error instanceof Error ? error.message : shownValue(error)}`, error)
    }
    if (!(result instanceof Promise)) return result
    result.catch(() => {})
    throw wrong('returns a promise: the status of a row must be known at once.')
  }
  return {
    ...others,
    setStatus: (at, row, to) =>
      called('setStatus', () =>
        setStatus ? setStatus(at, row, to) : void at.rows[collection]?.put({ ...row, [field]: to })
      ),
    next(at, row) {
      const step = (next && called('next', () => next(at, row))) ?? undefined
      if (step === undefined) return undefined
      const wrong = (what: string, why: string) =>
        new WrongDefinition(`lifecycles.${collection}.next returns ${what} for the row ${row.id}, ${why}.`)
      if (!isObject(step)) throw wrong(shownValue(step), 'and not { status, next, at } or undefined')
      const { name = row.name ?? row.id, status, next: following = null, at: time = null, ...more } = step
      // A row may have a status that a request gave it.
      const choices: unknown[] = [...statuses, row[field]]
      for (const [part, it] of Object.entries({ status, next: following ?? status }))
        if (!choices.includes(it))
          throw wrong(`the ${part} ${shownValue(it)}`, `which is not one of ${statuses.join(', ')}`)
      if (time === null) return { ...more, name: String(name), status, next: following, at: null }
      const moment = typeof time === 'string' ? Date.parse(time) : Number.NaN
      if (Number.isNaN(moment)) throw wrong(`the at ${shownValue(time)}`, `which is not a time such as ${at.now}`)
      if (moment <= Date.parse(at.now)) throw wrong(`the at ${shownValue(time)}`, `which is not after now (${at.now})`)
      return { ...more, name: String(name), status, next: following, at: new Date(moment).toISOString() }
    }
  }
}

/** A value of a user in a message. */
function shownValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : String(value)
}

/** A row with its status at this time. */
export function rowNow({ field, next }: Lifecycle, at: StatusContext, row: AnyRow): AnyRow {
  const status = next?.(at, row)?.status
  return status === undefined || status === row[field] ? row : { ...row, [field]: status }
}
