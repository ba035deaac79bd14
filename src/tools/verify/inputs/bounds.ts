import type { Contract } from '../../../engine/contract/contract.js'
import type { JsonObject } from '../../../engine/contract/load.js'
import type { Coercion, Operation } from '../../../engine/contract/model.js'
import { type Input, rawOf } from '../calls/request.js'
import { type Mutation, mutationsOf } from '../phases/negative.js'

type Part = 'path' | 'query' | 'body'

/** Whether an operation takes a part of an input. */
export function takes(
  contract: Contract,
  operation: Operation,
  part: Part,
  input: Input,
  coercion: Coercion = 'lax'
): boolean {
  const { problems } = contract.checkInput(operation, rawOf(operation, input), coercion, new Set())
  return problems.every(({ loc }) => loc[0] !== part)
}

/** The most wrong values of one field that are no values beyond its bounds, and of one operation. */
const mostOfField = 2
const most = 40

/** Wrong inputs of an operation, a few for each field, however values are read. */
export function wrongOf(contract: Contract, operation: Operation, part: 'query' | 'body', given: Input): Mutation[] {
  const counts = new Map<string, number>()
  const all = [...mutationsOf(contract, operation, { it: given })].filter((it) => {
    const { kind, locs, body } = it
    const [[place] = []] = locs
    const isOpen = kind === 'null' || kind === 'number-for-text' || (part === 'body' && (body ?? null) === null)
    // A form has only texts, and nothing of an empty object.
    const isInForm = kind === 'bound' || (kind === 'left-out' && locs[0]?.length === 2)
    if (isOpen || place !== part || (operation.form && part === 'body' && !isInForm)) return false
    if ((['strict', 'lax'] as const).some((read) => takes(contract, operation, part, it, read))) return false
    const field = `${kind === 'bound'} ${locs.join()}`
    counts.set(field, (counts.get(field) ?? 0) + 1)
    return kind === 'bound' || (counts.get(field) as number) <= mostOfField
  })
  return all.slice(0, most)
}

/** The value at the lower or upper bound of a schema. A text begins or ends with a mark. Undefined: it has none. */
export function atBound(
  { type, format, pattern, enum: listed, ...bounds }: JsonObject,
  isUpper: boolean,
  mark: string
): string | number | undefined {
  const number = (name: string) => (typeof bounds[name] === 'number' ? (bounds[name] as number) : undefined)
  const types = [type].flat()
  const value = number(isUpper ? 'maximum' : 'minimum')
  if (types.includes('integer') || types.includes('number'))
    return Math.abs(value ?? Infinity) < 1e6 ? value : undefined
  const length = number(isUpper ? 'maxLength' : 'minLength') ?? 0
  if (!types.includes('string') || (format ?? pattern ?? listed) !== undefined || length < 1 || length > 1000)
    return undefined
  return isUpper ? mark.padEnd(length, 'x').slice(0, length) : mark.slice(-length).padStart(length, 'x')
}
