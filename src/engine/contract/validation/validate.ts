import type { ErrorObject, ValidateFunction } from 'ajv'
import type { Choices, Documents, Json, JsonObject } from '../load.js'
import type { Coercion, CollectionRow, CommonParts, InputError, Operation, RawInput, Typed } from '../model.js'
import { inMap } from '../once.js'
import { errorFormsOf, responseOf, statusesOf } from '../outcomes.js'
import { type Coerce, createCoercion } from '../pydantic/coerce.js'
import { explain } from '../pydantic/explain.js'
import type { Samples } from '../samples/samples.js'
import { partsOf, together } from '../schemas/schemas.js'
import type { Validators } from './compile.js'

export interface InputCheck {
  /** The input for the rule: texts converted to the types of the contract, identifiers in one form. */
  input: RawInput
  /** The problems, in the order of the contract. Empty if the input is valid. */
  problems: InputError[]
  /** Fields and parameters that the contract does not name. */
  unknown: InputError[]
}

export function coercionUnder(choices: Choices): Coercion {
  return choices['requests.coercion'] as Coercion
}

/** What happens to unknown fields and parameters: `rejected`, `reported` or `ignored`. */
export function unknownPolicy(choices: Choices): string | undefined {
  return choices['requests.unknown-fields']
}

/** What unknown fields and parameters are: reasons for a refusal, or violations that are let through. */
export function unknownUnder(
  choices: Choices,
  unknown: InputError[]
): { problems: InputError[]; violations: string[] } {
  const policy = unknownPolicy(choices)
  return {
    problems: policy === 'rejected' ? unknown : [],
    violations: policy === 'reported' ? unknown.map(({ loc }) => `${loc.join('.')} is not in the contract`) : []
  }
}

export interface Checks {
  checkInput(operation: Operation, raw: RawInput, coercion: Coercion, assumed: Set<string>): InputCheck
  /** The reply without null fields that the contract leaves out. */
  leaveOut(operation: Operation, status: number, body: unknown, assumed: Set<string>): unknown
  /** What breaks the contract in a reply, one sentence each. An undocumented status breaks it too. */
  checkReply(operation: Operation, status: number, body: unknown, assumed: Set<string>): string[]
  hasStatus(operation: Operation, status: number): boolean
  /** A row in canonical form, with its problems. Every `loc` starts with "body". */
  checkRow(collection: CollectionRow, row: unknown): { row: unknown; problems: InputError[] }
}

/** The checks of an operation, created on first use. */
interface OperationChecks {
  coerce: Partial<Record<Coercion, Coerce>>
  input?: ValidateFunction
  statuses?: Set<number>
  replies: Map<number, ValidateFunction>
  leaveOut: Map<number, LeaveOut>
}

const noChecks = (): OperationChecks => ({ coerce: {}, replies: new Map(), leaveOut: new Map() })

/** `whyCut`: why a sample of a reply is incomplete. Such a sample breaks the contract. */
export function createChecks(
  documents: Documents,
  common: CommonParts,
  validators: Validators,
  whyCut: Samples['whyCut']
): Checks {
  const all = new Map<Operation, OperationChecks>()
  const checksOf = (operation: Operation) => inMap(all, operation, noChecks)
  const coercions = new Map<CollectionRow, Coerce>()

  const checkError = (operation: Operation, status: number, body: unknown, assumed: Set<string>): string[] => {
    let wrong = [`status ${status} is not in the contract of ${operation.id}`]
    for (const form of errorFormsOf(common, operation, status)) {
      const validate = validators.error(form)
      if (validate.call(assumed, body)) return []
      wrong = sentences(validate)
    }
    return wrong
  }

  return {
    checkInput(operation, raw, coercion, assumed) {
      const checks = checksOf(operation)
      checks.coerce[coercion] ??= createCoercion(documents, operation, coercion)
      checks.input ??= validators.input(operation)
      const input = checks.coerce[coercion](raw)
      const validate = checks.input
      if (validate.call(assumed, input)) return { input, problems: [], unknown: [] }
      const errorsOf = (isUnknown: boolean) =>
        (validate.errors as ErrorObject[]).filter((error) => isOfUnknown(error) === isUnknown)
      return {
        input,
        problems: explain(errorsOf(false), documents, operation, coercion, raw),
        unknown: explain(errorsOf(true), documents, operation, coercion, raw)
      }
    },

    leaveOut(operation, status, body, assumed) {
      const byStatus = checksOf(operation).leaveOut
      let leave = byStatus.get(status)
      if (!leave) {
        leave = createLeaveOut(documents, responseOf(operation, status)?.schema ?? true)
        byStatus.set(status, leave)
      }
      return leave(body, assumed)
    },

    checkReply(operation, status, body, assumed) {
      const { replies } = checksOf(operation)
      let validate = replies.get(status)
      if (!validate) {
        const response = responseOf(operation, status)
        if (!response) return checkError(operation, status, body, assumed)
        if (!response.schema) return body === undefined ? [] : [`status ${status} has no body in the contract`]
        validate = validators.reply(operation, status)
        replies.set(status, validate)
      }
      if (validate.call(assumed, body)) return []
      const why = whyCut(operation, status)
      return why ? [why, ...sentences(validate)] : sentences(validate)
    },

    hasStatus(operation, status) {
      const checks = checksOf(operation)
      checks.statuses ??= statusesOf(common, operation)
      return checks.statuses.has(status)
    },

    checkRow(collection, row) {
      const validate = validators.row(collection)
      // Only rows in canonical form are valid.
      if (validate.call(undefined, row)) return { row, problems: [] }
      const typed: Typed = { input: { body: collection.row }, form: false }
      const raw = { path: {}, query: {}, body: row }
      const { body } = inMap(coercions, collection, () => createCoercion(documents, typed, 'strict'))(raw)
      if (validate.call(undefined, body)) return { row: body, problems: [] }
      const errors = (validate.errors as ErrorObject[]).map((it) => ({
        ...it,
        instancePath: `/body${it.instancePath}`
      }))
      return { row: body, problems: explain(errors, documents, typed, 'strict', raw) }
    }
  }
}

/** Whether an error is an unknown field. A user's own document can say that there are none. */
function isOfUnknown({ keyword, parentSchema }: ErrorObject): boolean {
  return keyword === 'additionalProperties' && (parentSchema as JsonObject)['x-exact'] !== true
}

/** A large reply may have a mistake in each of its values. */
const mostSentences = 1000

function sentences(validate: ValidateFunction): string[] {
  const errors = (validate.errors as ErrorObject[]).slice(0, mostSentences)
  return errors.map((error) => `${error.instancePath || '/'} ${error.message ?? error.keyword}`.trim())
}

/** Leaves out null fields that the schema omits (`x-null`). */
type LeaveOut = (value: unknown, assumed: Set<string>) => unknown

/** Which null fields of an object, or of a list's items, are left out, and which fields contain such objects. */
interface Plan {
  /** The fields, grouped by assumptions. */
  fields: { names: string[]; ids: string[] }[]
  inner: { name: string; plan: Plan }[]
  items: Plan | undefined
}

/**
 * Creates the function for one schema. It returns a value without such fields unchanged. Otherwise it returns a copy in which
 * these fields are undefined: deleting them would make the copy slow to check and to serialize.
 */
function createLeaveOut(documents: Documents, schema: Json): LeaveOut {
  const plan = planOf(documents, [schema])
  return plan ? (value, assumed) => leftOut(plan, value, assumed) : (value) => value
}

function leftOut(plan: Plan, value: unknown, assumed: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return plan.items ? leftOutOfItems(plan.items, value, assumed) : value
  const whole = value as Record<string, unknown>
  let copy: Record<string, unknown> | undefined
  for (const { names, ids } of plan.fields) {
    let some = false
    for (const name of names) {
      if (whole[name] !== null) continue
      copy ??= { ...whole }
      copy[name] = undefined
      some = true
    }
    if (some) for (const id of ids) assumed.add(id)
  }
  for (const { name, plan: inner } of plan.inner) {
    const part = leftOut(inner, whole[name], assumed)
    if (part === whole[name]) continue
    copy ??= { ...whole }
    copy[name] = part
  }
  return copy ?? whole
}

function leftOutOfItems(plan: Plan, items: unknown[], assumed: Set<string>): unknown[] {
  let copy: unknown[] | undefined
  for (let at = 0; at < items.length; at++) {
    const item = leftOut(plan, items[at], assumed)
    if (item === items[at]) continue
    copy ??= items.slice()
    copy[at] = item
  }
  return copy ?? items
}

/** The fields that any of these schemas leaves out, or undefined if there are none. */
function planOf(documents: Documents, schemas: Json[]): Plan | undefined {
  const { fields: described, items } = together(documents, schemas)
  const plan: Plan = { fields: [], inner: [], items: undefined }
  for (const [name, fields] of described) {
    const ids = new Set(fields.flatMap((field) => partsOf(documents, field)).flatMap((field) => leavingOut(field)))
    if (ids.size > 0) groupOf(plan, [...ids]).names.push(name)
    const inner = planOf(documents, fields)
    if (inner) plan.inner.push({ name, plan: inner })
  }
  if (items.length > 0) plan.items = planOf(documents, items)
  return plan.fields.length > 0 || plan.inner.length > 0 || plan.items ? plan : undefined
}

/** The fields of a plan that these assumptions leave out. */
function groupOf({ fields }: Plan, ids: string[]): Plan['fields'][number] {
  const group = fields.find((it) => it.ids.join() === ids.join())
  if (group) return group
  const newGroup = { names: [], ids }
  fields.push(newGroup)
  return newGroup
}

/** The assumptions that leave out a field if it is null. */
function leavingOut(field: JsonObject): string[] {
  const { type, anyOf = [] } = field
  const takesNull = [type].flat().includes('null') || (anyOf as JsonObject[]).some((it) => it.type === 'null')
  return takesNull ? [] : ((field['x-null'] ?? []) as string[])
}
