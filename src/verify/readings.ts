import { type Contract, createContract, type Operation } from '../contract/contract.js'
import type { Problem } from '../contract/explain.js'
import { type Choices, type Documents, isObject, type JsonObject, readDocuments } from '../contract/load.js'
import type { Coercion } from '../contract/validate.js'
import type { LedgerEntry } from '../mock/assumptions.js'
import { idsIn } from './assumption-ids.js'
import { type Empty, withNulls, withoutUnknownItems } from './empty.js'
import { rawOf } from './raw.js'
import type { Input } from './request.js'

/** The one assumption that changes how an input is read without changing a contract. */
const coercion = 'requests.coercion'

/** The assumption by which fields without a value are null, or left out. */
const nulls = 'responses.null'

/** The assumption by which items of a 422 carry input and ctx. */
const items = 'errors.input-and-ctx'
const none: { problems: [string, ...string[]] } = { problems: ['a status that the contract does not name'] }

export type Loc = (string | number)[]

/** What the contract says of an input under some choices: the places of all that is wrong with it. */
export interface Reading {
  choices: Choices
  problems: Problem[]
  locs: Loc[]
}

/** Compiled contracts by the choices that change them: what one run compiled, the next one need not. */
const contracts = new Map<string, Contract>()

/**
 * The contract under every choice that a message may rest on. What holds under any of them is no fault; which of them
 * it was is learned, and read first from then on.
 */
export class Readings {
  private readonly documents: Documents = readDocuments()
  private readonly successes = new Map<string, Set<number>>()
  /** Sets of choices by what they read, until something is learned. */
  private readonly sets = new Map<string, Choices[]>()
  private readonly ids = new Map<string, string[]>()
  private readonly first: Choices
  /** The ids that change a contract. */
  private readonly all: string[]

  constructor(
    readonly ledger: LedgerEntry[],
    private present: Choices
  ) {
    this.first = present
    const found = new Set<string>()
    for (const [file, document] of Object.entries(this.documents)) idsIn(this.documents, document, file, found)
    this.all = [...found].sort()
  }

  get choices(): Choices {
    return this.present
  }

  /** The contract as the server is known to keep it. */
  get contract(): Contract {
    return this.contractUnder(this.present)
  }

  /** The contract as it would be kept under another choice. */
  under(id: string, choice: string): Contract {
    return this.contractUnder({ ...this.present, [id]: choice })
  }

  learn(id: string, choice: string): void {
    this.sets.clear()
    this.present = { ...this.present, [id]: choice }
  }

  /**
   * The choices under which a reply holds, the known ones first; else what breaks the contract under those. Each field
   * without a value may be null or left out, whatever its neighbours are.
   */
  reply(id: string, status: number, body: unknown): { choices: Choices } | { problems: [string, ...string[]] } {
    let problems: string[] = []
    if (this.isFree(id)) return this.statuses(id).has(status) ? { choices: this.freeChoices(id, status, body) } : none
    for (const choices of this.alternatives(id, 'responses')) {
      if (choices[nulls] !== this.present[nulls]) continue
      const contract = this.contractFor(id, 'responses', { ...choices, [nulls]: 'null' })
      const operation = contract.operations.get(id) as Operation
      const empty: Empty = { absent: 0, null: 0 }
      const schema = operation.responses[status]?.schema
      const known = withoutUnknownItems(id, body)
      const whole = schema ? withNulls(contract.documents, schema, known, empty) : known
      const found = contract.checkReply(operation, status, whole, new Set())
      if (found.length === 0) return { choices: { ...choices, [nulls]: this.nullsOf(choices, empty) } }
      if (problems.length === 0) problems = found
    }
    return { problems: problems as [string, ...string[]] }
  }

  /** How empty fields were written; a server that does both is read as before. */
  private nullsOf(choices: Choices, empty: Empty): string {
    if (empty.absent > 0 && empty.null === 0) return 'omitted'
    return empty.null > 0 && empty.absent === 0 ? 'null' : (choices[nulls] as string)
  }

  /** Whether the description does not show what a success answers: then any JSON does, and any status of success. */
  isFree(id: string): boolean {
    const row = this.rowOf(id)
    return isObject(row.responses) && row.responses.include === 'deleted'
  }

  /** The choices whose body a free reply has, where one has it. */
  private freeChoices(id: string, status: number, body: unknown): Choices {
    const fitting = this.alternatives(id, 'responses').find((choices) => {
      const contract = this.contractFor(id, 'responses', choices)
      const operation = contract.operations.get(id) as Operation
      return contract.checkReply(operation, status, body, new Set()).length === 0
    })
    return fitting ?? this.present
  }

  /**
   * What breaks the form of a 422. In chat the form is the one that the server is known to write, where it is known;
   * elsewhere more than the contract asks for is no fault.
   */
  invalid(id: string, body: unknown, isKnown: boolean): string[] {
    const { chat } = this.contract.operations.get(id) as Operation
    const other = { ...this.present, [items]: this.present[items] === 'always' ? 'chat-only' : 'always' }
    const read = (choices: Choices) => {
      const contract = this.contractUnder({ ...this.first, [items]: choices[items] as string })
      return contract.checkReply(contract.operations.get(id) as Operation, 422, body, new Set())
    }
    const problems = read(this.present)
    return problems.length === 0 || (chat && isKnown) ? problems : read(other).length === 0 ? [] : problems
  }

  /** The statuses of success under any choice. */
  statuses(id: string): ReadonlySet<number> {
    const known = this.successes.get(id)
    if (known) return known
    const found = new Set<number>()
    this.successes.set(id, found)
    for (const choices of this.alternatives(id, 'responses')) {
      const responses = this.contractFor(id, 'responses', choices).operations.get(id)?.responses ?? {}
      for (const status of Object.keys(responses)) found.add(Number(status))
    }
    if (this.isFree(id)) for (const status of [202, 204]) found.add(status)
    return found
  }

  /** What each choice says of an input, the known ones first. */
  input(id: string, input: Input): Reading[] {
    return this.alternatives(id, 'input').flatMap((choices) => {
      const contract = this.contractFor(id, 'input', choices)
      const operation = contract.operations.get(id) as Operation
      const present = choices[coercion] as Coercion
      const coercions: Coercion[] = operation.form ? [present] : [present, present === 'lax' ? 'strict' : 'lax']
      return coercions.map((read) => {
        const { problems } = contract.checkInput(operation, rawOf(operation, input), read, new Set())
        return { choices: { ...choices, [coercion]: read }, problems, locs: problems.map((it) => it.loc) }
      })
    })
  }

  /** The statuses that a refusal has under any choice of what it rests on. */
  refusalStatuses(id: string, reason: string): Map<number, Choices> {
    const statuses = new Map<number, Choices>()
    for (const choices of this.alternatives(id, 'refusals')) {
      const contract = this.contractFor(id, 'refusals', choices)
      const row = contract.operations.get(id)?.refusals[reason] ?? contract.refusals[reason]
      if (row && !statuses.has(row.status)) statuses.set(row.status, choices)
    }
    return statuses
  }

  /** The ids at which other choices differ from the known ones. */
  differences(choices: Choices): string[] {
    return Object.keys(choices).filter((id) => choices[id] !== this.present[id])
  }

  /** Every set of choices that reads a part of an operation in another way, the nearest to the known ones first. */
  private alternatives(id: string, part: 'input' | 'responses' | 'refusals'): Choices[] {
    const known = this.sets.get(`${id} ${part}`)
    if (known) return known
    let sets: Choices[] = [this.present]
    for (const changed of this.idsOf(id, part)) {
      const entry = this.ledger.find((it) => it.id === changed) as LedgerEntry
      sets = sets.flatMap((set) => [
        set,
        ...Object.keys(entry.choices)
          .filter((choice) => choice !== set[changed] && !choice.includes('<'))
          .map((choice) => ({ ...set, [changed]: choice }))
      ])
    }
    sets.sort((a, b) => this.differences(a).length - this.differences(b).length)
    this.sets.set(`${id} ${part}`, sets)
    return sets
  }

  /** A contract that reads a part of an operation so: what is learned of other parts makes no other contract. */
  private contractFor(id: string, part: 'input' | 'responses' | 'refusals', choices: Choices): Contract {
    const own = this.idsOf(id, part).map((it) => [it, choices[it] as string])
    return this.contractUnder({ ...this.first, ...Object.fromEntries(own) })
  }

  private contractUnder(choices: Choices): Contract {
    const key = this.all.map((id) => choices[id]).join()
    let contract = contracts.get(key)
    if (!contract) {
      contract = createContract(this.documents, choices)
      contracts.set(key, contract)
    }
    return contract
  }

  private idsOf(id: string, part: 'input' | 'responses' | 'refusals'): string[] {
    const key = `${id} ${part}`
    let ids = this.ids.get(key)
    if (!ids) {
      const file = `${this.contract.operations.get(id)?.resource}.json`
      ids = [...idsIn(this.documents, this.rowOf(id)[part] ?? null, file, new Set())]
      this.ids.set(key, ids)
    }
    return ids
  }

  /** The row of an operation, under no choices. */
  private rowOf(id: string): JsonObject {
    const file = `${this.contract.operations.get(id)?.resource}.json`
    return ((this.documents[file]?.operations ?? {}) as JsonObject)[id] as JsonObject
  }
}
