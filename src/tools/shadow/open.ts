import type { NotUnderstood } from '../../engine/api.js'
import type { Contract } from '../../engine/contract/contract.js'
import type { LedgerEntry } from '../../engine/contract/ledger.js'
import type { Choices, Json } from '../../engine/contract/load.js'
import { inMap } from '../../engine/contract/once.js'
import { partsOf } from '../../engine/contract/schemas/schemas.js'
import { fieldsIn } from '../../engine/contract/validation/field-choices.js'
import { hash } from '../../engine/sandbox/ids.js'
import type { Book } from '../record/book.js'
import { type Call, partsIn } from '../record/traffic.js'
import { missingFields } from './calls.js'
import { type Difference, isOfAccess, isSoft } from './compare.js'
import { showsOrder } from './lists.js'

/** So many refusals of different inputs, and no success, are those of an operation that refuses everything. */
const leastRefused = 3

/** What the document of an API leaves open, so that the mock cannot judge it. */
export class OpenQuestions {
  /** Operations, and their query parameters, that the mock does not understand. */
  private readonly reasons: readonly NotUnderstood[]
  private readonly accepted = new Map<string, Set<number>>()
  private readonly refused = new Map<string, Set<number>>()
  /** Fields that calls have sent. */
  private readonly sent = new Set<string>()

  constructor({ api }: Contract) {
    const all = api.document?.notUnderstood ?? []
    this.reasons = all.filter(({ part }) => part === undefined || part === 'query')
  }

  /** Why the mock's answer to a call says nothing. */
  whyNot({ operation, query, body }: Call): string | undefined {
    const isSent = (name?: string) => name === undefined || query.has(name) || name in body
    const reason = this.reasons.find((it) => it.operation === operation.id && isSent(it.name))
    return reason && `the mock does not understand it: ${reason.why}`
  }

  /** Why the mock cannot judge a difference of a call. */
  whyNotJudged(call: Call, it: Difference, collection: string | undefined, book: Book): string | undefined {
    const { operation, body, status } = call
    const { kind, field = '', mock } = it
    const isRefusal = mock === 401 || (status === 401 && !this.wasAccepted(call))
    if (kind === 'status' && operation.open && isRefusal) return 'no reply shows whom it lets in'
    if (isOfAccess(it) && !operation.open) return undefined
    const why = this.whyNot(call)
    if (why !== undefined) return why
    const schema = collection === undefined ? undefined : book.fieldsOf(collection)[field]
    const isReadOnly =
      schema !== undefined && partsOf(book.contract.documents, schema).some((of) => of.readOnly === true)
    const isSet = this.sent.has(field) || field in body || operation.mock?.row?.action?.field === field
    if (kind === 'value' && field !== 'id' && isReadOnly && !isSet)
      return 'the service derives this field, which is read-only'
    return undefined
  }

  /** Whether the document cannot say that a refused request was right: it has two values or more. */
  mayRefuse(call: Call, { kind, mock }: Difference): boolean {
    const { operation, status, query, body } = call
    const isRule = kind === 'status' && [400, 409, 422].includes(status) && (mock as number) < 300
    if (!operation.origin || !isRule || operation.responses[status] === undefined) return false
    const isExample = Object.values(operation.examples).some((it) => isSame(it.body, body))
    if (isExample || this.wasAccepted(call) || query.size + Object.keys(body).length < 2) return false
    return !this.refusesAll(call)
  }

  /** Whether a service has refused different inputs that the mock accepts, and accepted none. */
  refusesAll({ operation: { id, origin } }: Call): boolean {
    const isOften = (this.refused.get(id)?.size ?? 0) + 1 >= leastRefused
    return origin !== undefined && isOften && !this.accepted.has(id)
  }

  private wasAccepted(call: Call): boolean {
    return this.accepted.get(call.operation.id)?.has(inputOf(call)) === true
  }

  /** Remembers whether an input was accepted, by the service and by the mock. */
  remember(call: Call, mock: number): void {
    const { status, operation, body } = call
    const all = status < 300 ? this.accepted : mock < 300 ? this.refused : undefined
    if (all) inMap(all, operation.id, () => new Set()).add(inputOf(call))
    for (const { field } of partsIn(body)) this.sent.add(field)
  }
}

/**
 * Other choices that may explain differences, the most likely first. What is soft is only explained by the first entries: those
 * that the mock's answer depends on. `isSettled`: whether the service's choice is known.
 */
export function* choicesFor(
  call: Call,
  differences: readonly Difference[],
  { ledger, choices }: { ledger: readonly LedgerEntry[]; choices: Choices },
  assumed: readonly string[],
  isSettled: (id: string) => boolean
): Iterable<[id: string, choice: string]> {
  const { operation, status } = call
  const isHard = differences.some((it) => !isSoft(it))
  const isStatus = differences.some(({ kind }) => kind === 'status' || kind === 'refusal')
  const isOf = ({ place = [] }: LedgerEntry) => place.includes(operation.code) || place.includes(operation.id)
  const isGeneral = ({ place = [] }: LedgerEntry) => !place.some((it) => /^E\d/.test(it))
  const all = [
    ...ledger.filter(({ id }) => assumed.includes(id)),
    ...ledger.filter((it) => isHard && isOf(it)),
    ...ledger.filter((it) => isStatus && isGeneral(it))
  ].filter(({ id }) => isHard || !isSettled(id))
  // A choice that other answers have agreed with explains less.
  const likely = [...all.filter(({ id }) => !isSettled(id)), ...all]
  for (const entry of new Set(likely)) {
    if (entry.fixed || (entry.id === 'rows.order' && !showsOrder(call))) continue
    for (const choice of Object.keys(entry.choices)) {
      if (choice === choices[entry.id]) continue
      if (!choice.includes('<')) yield [entry.id, choice]
      else if (choice === 'fields:<fields>' && status === 422) {
        const fields = missingFields(call).map((it) => `${operation.id}.${it}`)
        const previous = fieldsIn(choices[entry.id])
        if (fields.length > 0) yield [entry.id, `fields:${[...new Set([...previous, ...fields])].join(',')}`]
      }
    }
  }
}

const inputOf = ({ query, body }: Call) => hash(JSON.stringify([`${query}`, body]))
const isSame = (a: Json | undefined, b: Json) => JSON.stringify(a) === JSON.stringify(b)
