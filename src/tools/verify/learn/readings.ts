import { type Contract, createContract } from '../../../engine/contract/contract.js'
import type { LedgerEntry } from '../../../engine/contract/ledger.js'
import {
  type Choices,
  type Documents,
  follow,
  isObject,
  type Json,
  type JsonObject,
  readDocuments,
  schemaOf
} from '../../../engine/contract/load.js'
import type { Coercion, Operation } from '../../../engine/contract/model.js'
import { inMap, once } from '../../../engine/contract/once.js'
import { assumptionsAt } from '../../../engine/contract/resolve.js'
import { contractsOf } from '../../../engine/contract/validation/cache.js'
import type { Exchange } from '../calls/client.js'
import { type Input, rawOf } from '../calls/request.js'

/** How inputs are read, how fields without a value are written, and the items and bodies of a 422. */
const coercion = 'requests.coercion'
const nulls = 'responses.null'
const items = 'errors.input-and-ctx'
const bodies = 'errors.validation-body'

export type Loc = (string | number)[]

/** The contract's judgement on an input under some choices: its problems, and their places. */
export type Reading = ReturnType<Readings['input']>[number]

/** The parts of an operation that choices change. */
type OperationPart = 'input' | 'responses' | 'refusals' | 'all'

/** Caches that all runs in this process share. They contain nothing about servers. */
const shared = once(() => {
  const documents = readDocuments()
  return {
    documents,
    whole: contractsOf(documents),
    /** Contracts of one operation, by operation and choices. */
    single: new Map<string, Contract>(),
    /** The documents of one operation. */
    parts: new Map<string, Documents>(),
    ids: new Map<string, readonly string[]>()
  }
})

/** A set of choices, and the operation under them. */
interface ContractReading {
  choices: Choices
  contract: Contract
  operation: Operation
}

/**
 * The contract under every choice that a message may depend on. A message that is valid under any of them is right. Its choices
 * are learned and then tried first. A run reads an operation under many choices, so there are contracts of single
 * operations: a full contract for each would take much more memory and time.
 */
export class Readings {
  private readonly successes = new Map<string, Set<number>>()
  /** Sets of choices by what they affect, and the contract of each operation. Cleared when something is learned. */
  private readonly ways = new Map<string, ContractReading[]>()
  private readonly byId = new Map<string, Contract>()
  /** The bodies with all lists. */
  private readonly whole = new WeakSet<object>()
  private readonly lists: KnownLists = { written: new Set(), given: new Set() }
  /** Which of an operation's readings was right the last time. */
  private readonly lastRight = new Map<string, number>()
  private readonly shared = shared()
  /** All operations under the initial choices of the run. */
  readonly first: Contract
  private present: Choices

  /** `contract`: that of a document, on which no choice has an effect. */
  constructor(
    readonly ledger: readonly LedgerEntry[],
    private readonly initial: Choices,
    contract?: Contract
  ) {
    this.first = contract ?? this.shared.whole(initial)
    this.present = initial
    for (const { input } of this.first.operations.values())
      for (const name of Object.keys(input.body?.properties ?? {})) this.lists.given.add(name)
  }

  get choices(): Choices {
    return this.present
  }

  /** The contract of an operation under the learned choices, or under other ones. */
  contractOf(id: string, other?: Choices): Contract {
    if (other) return this.contractFor(id, 'all', { ...this.present, ...other })
    return inMap(this.byId, id, () => this.contractFor(id, 'all', this.present))
  }

  operation(id: string): Operation {
    return this.contractOf(id).operations.get(id) as Operation
  }

  learn(id: string, choice: string): void {
    this.ways.clear()
    this.byId.clear()
    this.present = { ...this.present, [id]: choice }
  }

  /** The choices under which a reply is valid, or what is wrong under known ones. Each empty field may be null or absent. */
  reply(id: string, status: number, body: unknown): { choices: Choices } | { problems: [string, ...string[]] } {
    const readings = this.alternatives(id, 'responses')
    if (this.isFree(id)) {
      if (!this.statuses(id).has(status)) return { problems: ['a status that the contract does not name'] }
      const fitting = readings.find((it) => it.contract.checkReply(it.operation, status, body, new Set()).length === 0)
      return { choices: fitting?.choices ?? this.present }
    }
    let problems: string[] = []
    for (const { choices } of readings) {
      if (choices[nulls] !== this.present[nulls]) continue
      const contract = this.contractFor(id, 'responses', { ...choices, [nulls]: 'null' })
      const operation = contract.operations.get(id) as Operation
      const empty: EmptyCounts = { absent: 0, null: 0 }
      const schema = operation.responses[status]?.schema
      const whole = schema ? withNulls(contract.documents, schema, body, empty) : body
      const mistakes = contract.checkReply(operation, status, whole, new Set())
      // If the server writes empty fields in both ways, the known choice stays.
      const isBoth = empty.absent > 0 === empty.null > 0
      const form = isBoth ? (choices[nulls] as string) : empty.null > 0 ? 'null' : 'omitted'
      if (mistakes.length === 0) return { choices: { ...choices, [nulls]: form } }
      if (problems.length === 0) problems = mistakes
    }
    return { problems: problems as [string, ...string[]] }
  }

  /** Adds the lists that the records of a reply may leave out when they are empty. */
  addLists({ id, origin }: Operation, { status, body }: Exchange['reply']): void {
    if (typeof body !== 'object' || body === null || origin || status >= 300 || this.whole.has(body)) return
    this.whole.add(body)
    const schema = this.first.operations.get(id)?.responses[status]?.schema
    if (schema) addLists(this.first.documents, schema, body, this.lists)
  }

  /** Whether the description does not show the body of a success. Then any JSON and any success status are right. */
  private isFree(id: string): boolean {
    const row = this.rowOf(id)
    return isObject(row.responses) && row.responses.include === 'deleted'
  }

  /** What is wrong in a 422. In chat it has the form that is known. Elsewhere, more than the contract asks for is right. */
  invalid(id: string, body: unknown, isKnown: boolean): string[] {
    const { chat } = this.operation(id)
    const read = (form: string) => {
      const contract = this.shared.whole({ ...this.initial, [items]: form, [bodies]: this.present[bodies] as string })
      return contract.checkReply(contract.operations.get(id) as Operation, 422, body, new Set())
    }
    const choice = this.present[items] as string
    const problems = read(choice)
    if (problems.length === 0 || (chat && isKnown)) return problems
    return read(choice === 'always' ? 'chat-only' : 'always').length === 0 ? [] : problems
  }

  /** The success statuses under any choice. */
  statuses(id: string): ReadonlySet<number> {
    return inMap(this.successes, id, () => {
      const statuses = this.alternatives(id, 'responses').flatMap(({ operation }) => Object.keys(operation.responses))
      return new Set([...statuses.map(Number), ...(this.isFree(id) ? [202, 204] : [])])
    })
  }

  /** The judgements on an input under each choice, known ones first. Each is made on demand: the first is usually enough. */
  input(id: string, input: Input) {
    return this.alternatives(id, 'input').flatMap(({ choices, contract, operation }) => {
      const present = choices[coercion] as Coercion
      const coercions: Coercion[] = operation.form ? [present] : [present, present === 'lax' ? 'strict' : 'lax']
      return coercions.map((read) => {
        const check = once(() => contract.checkInput(operation, rawOf(operation, input), read, new Set()).problems)
        return {
          choices: read === present ? choices : { ...choices, [coercion]: read },
          get problems() {
            return check()
          },
          get locs(): Loc[] {
            return check().map((it) => it.loc)
          }
        }
      })
    })
  }

  /** Whether any of these judgements finds no error. Finding errors costs most, so the one that found none comes first. */
  isAnyRight(id: string, inputs: readonly Reading[]): boolean {
    const isRight = (reading: Reading | undefined) => reading?.locs.length === 0
    if (isRight(inputs[this.lastRight.get(id) ?? 0])) return true
    const right = inputs.findIndex(isRight)
    if (right >= 0) this.lastRight.set(id, right)
    return right >= 0
  }

  /** The statuses of a refusal under any choice. */
  refusalStatuses(id: string, reason: string): Map<number, Choices> {
    const statuses = new Map<number, Choices>()
    for (const { choices, contract, operation } of this.alternatives(id, 'refusals')) {
      const row = operation.refusals[reason] ?? contract.refusals[reason]
      if (row && !statuses.has(row.status)) statuses.set(row.status, choices)
    }
    return statuses
  }

  /** The ids at which other choices differ from the known ones. */
  differences(choices: Choices): string[] {
    return Object.keys(choices).filter((id) => choices[id] !== this.present[id])
  }

  /** Every set of choices that changes a part of an operation, nearest to the known ones first. */
  private alternatives(id: string, part: OperationPart): ContractReading[] {
    return inMap(this.ways, `${id} ${part}`, () => {
      let sets: Choices[] = [{}]
      for (const changed of this.idsOf(id, part)) {
        const { choices } = this.ledger.find((it) => it.id === changed) as LedgerEntry
        const others = Object.keys(choices).filter((it) => it !== this.present[changed] && !it.includes('<'))
        sets = sets.flatMap((set) => [set, ...others.map((choice) => ({ ...set, [changed]: choice }))])
      }
      sets.sort((a, b) => Object.keys(a).length - Object.keys(b).length)
      return sets.map((set) => {
        const choices = { ...this.present, ...set }
        const contract = this.contractFor(id, part, choices)
        return { choices, contract, operation: contract.operations.get(id) as Operation }
      })
    })
  }

  /** The contract of an operation. Only choices that change this part of it are considered. */
  private contractFor(id: string, part: OperationPart, choices: Choices): Contract {
    const changed = this.idsOf(id, part).filter((it) => choices[it] !== this.initial[it])
    if (changed.length === 0) return this.first
    const whole = { ...this.initial, ...Object.fromEntries(changed.map((it) => [it, choices[it] as string])) }
    const key = JSON.stringify([id, ...this.idsOf(id, 'all').map((it) => whole[it])])
    return inMap(this.shared.single, key, () => createContract(this.documentsOf(id), whole))
  }

  /** The assumptions that change a part of an operation. */
  private idsOf(id: string, part: OperationPart): readonly string[] {
    const { documents, ids } = this.shared
    if (this.first.operations.get(id)?.origin) return []
    return inMap(ids, `${id} ${part}`, () => {
      const row = this.rowOf(id)
      const assumptions = idsIn(documents, part === 'all' ? row : (row[part] ?? null), this.fileOf(id))
      if (part === 'all') idsIn(documents, documents['common.json'] as JsonObject, 'common.json', assumptions)
      return [...assumptions]
    })
  }

  /** The contract row of an operation, without choices applied. */
  private rowOf(id: string): JsonObject {
    return ((this.shared.documents[this.fileOf(id)]?.operations ?? {}) as JsonObject)[id] as JsonObject
  }

  private fileOf(id: string): string {
    return `${this.first.operations.get(id)?.resource}.json`
  }

  /** The documents reduced to what the operation needs. */
  private documentsOf(id: string): Documents {
    const { documents, parts } = this.shared
    return inMap(parts, id, () => {
      const file = this.fileOf(id)
      const references = new Set<string>()
      idsIn(documents, this.rowOf(id), file, new Set(), references)
      const part: Documents = {
        'common.json': documents['common.json'] as JsonObject,
        [file]: { ...documents[file], $defs: {}, collections: {}, operations: { [id]: this.rowOf(id) } }
      }
      for (const reference of references) {
        const [, name = '', definition = ''] = /^(.*)#\/\$defs\/([^/]+)/.exec(reference) ?? []
        if (name === 'common.json' || definition === '') continue
        const before = (part[name]?.$defs ?? {}) as JsonObject
        const own = follow(documents, `${name}#/$defs/${definition}`)
        part[name] = { ...part[name], $defs: { ...before, [definition]: own } }
      }
      return part
    })
  }
}

/** Collects the assumptions that change a part of a contract or anything that it refers to. */
function idsIn(documents: Documents, value: Json, file: string, ids = new Set<string>(), refs = new Set<string>()) {
  if (Array.isArray(value)) for (const item of value) idsIn(documents, item, file, ids, refs)
  if (!isObject(value)) return ids
  for (const id of assumptionsAt(value)) ids.add(id)
  for (const [key, item] of Object.entries(value)) {
    // In a patch, null may remove a reference.
    const names = typeof item === 'string' && (key === '$ref' || key === 'include')
    if (!names) idsIn(documents, item, file, ids, refs)
    else {
      const reference = key === 'include' ? `common.json#/replies/${item}` : item
      const whole = reference.startsWith('#') ? file + reference : reference
      if (refs.has(whole)) continue
      refs.add(whole)
      idsIn(documents, follow(documents, whole), whole.split('#')[0] as string, ids, refs)
    }
  }
  return ids
}

/** The places in a 422. */
export function locsOf({ reply, call }: Exchange): Loc[] {
  const { detail, message } = isObject(reply.body) ? reply.body : {}
  const items = Array.isArray(detail) ? detail.filter(isObject) : []
  const locs = typeof message === 'string' ? placesIn(message) : items.map(({ loc }) => loc)
  return locs.map((loc) => withPart(Array.isArray(loc) ? (loc as Loc) : [], call.operation))
}

/** A place with the part of the request that it is in. Section 2.16 does not say that a server names it. */
export function withPart(reported: Loc, { input }: Operation): Loc {
  const loc = stepsOf(reported)
  const [first] = loc
  const has = (part: 'path' | 'query') => isObject(input[part]?.properties) && `${first}` in input[part].properties
  const isNamed = ['path', 'query', 'body', 'header', 'cookie'].includes(`${first}`)
  if (first === 'path' && loc.length > 1) {
    const isKnown = Object.hasOwn((input.path?.properties ?? {}) as object, `${loc[1]}`)
    return [first, isKnown ? `${loc[1]}` : anyParameter]
  }
  if (isNamed && !(loc.length === 1 && has('query'))) return loc
  return [has('path') ? 'path' : has('query') ? 'query' : 'body', ...loc]
}

/** A parameter of the path under a name that the contract does not have: it may be any of them. */
export const anyParameter = '*'

/** The places in a line of text, in the style of Python's errors or of the mock. Other texts have none. */
function placesIn(message: string): Loc[] {
  const listed = message.split("'loc': (").slice(1)
  const python = listed.map((text) =>
    text
      .slice(0, text.indexOf(')'))
      .split(/[', ]+/)
      .filter(Boolean)
  )
  const own = [...message.matchAll(/[:;] ((?:path|query|body)[^\s:]*): /g)].map(([, place = '']) => [place])
  return [...python, ...own]
}

/** The steps of a place, which may be one text: `emails[1]`, `/emails/1`. Section 2.16 leaves that open. */
export function stepsOf(loc: Loc): Loc {
  const steps = loc.flatMap((step) => `${step}`.split(/[./[\]]+/)).filter(Boolean)
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}

/** How often fields without a value were left out, and how often they were null. */
type EmptyCounts = Record<'absent' | 'null', number>

/** A reply without undocumented items, and with missing fields set to null if their schema allows leaving them out (`x-null`). */
function withNulls(documents: Documents, schema: Json, value: unknown, empty: EmptyCounts): unknown {
  if (!isObject(schema) || typeof value !== 'object' || value === null) return value
  const referred = typeof schema.$ref === 'string' ? [follow(documents, schema.$ref)] : []
  const parts = [...referred, ...((schema.allOf ?? []) as Json[]), ...nearest(documents, schema.anyOf, value)]
  const inner = parts.reduce<unknown>((it, part) => withNulls(documents, part, it, empty), value)
  if (Array.isArray(inner)) {
    const items = inner.filter((item) => !isUndocumented(documents, schema.items, item))
    return items.map((item) => withNulls(documents, schema.items ?? true, item, empty))
  }
  const whole = { ...(inner as Record<string, unknown>) }
  for (const [name, field] of Object.entries((schema.properties ?? {}) as JsonObject)) {
    const isPresent = whole[name] !== undefined || isMisspelt(name, whole, schema.properties as JsonObject)
    if (isPresent && whole[name] !== null) whole[name] = withNulls(documents, field, whole[name], empty)
    else if (isMarked(documents, field) && !(isPresent && whole[name] === undefined)) {
      empty[isPresent ? 'null' : 'absent']++
      whole[name] = null
    }
  }
  return whole
}

/** The alternative that has the most fields in common with a value. */
function nearest(documents: Documents, alternatives: Json | undefined, value: object): Json[] {
  const common = (schema: Json) => {
    const { properties = {} } = schemaOf(documents, schema)
    return Object.keys(properties as object).filter((name) => name in value).length
  }
  const list = Array.isArray(alternatives) ? alternatives : []
  return list.toSorted((a, b) => common(b) - common(a)).slice(0, 1)
}

/** The lists that the server writes when they are empty, and the fields of requests. */
type KnownLists = Record<'written' | 'given', Set<string>>

/** Adds lists that are left out to the records in a reply (section 2): those that clients give, and that it writes nowhere empty. */
function addLists(documents: Documents, schema: Json, value: unknown, lists: KnownLists, record = ''): void {
  if (!isObject(schema) || typeof value !== 'object' || value === null) return
  const { $ref } = schema
  if (typeof $ref === 'string') {
    addLists(documents, follow(documents, $ref), value, lists, /#\/\$defs\/\w+$/.test($ref) ? $ref : '')
  }
  for (const part of [...((schema.allOf ?? []) as Json[]), ...nearest(documents, schema.anyOf, value)]) {
    addLists(documents, part, value, lists, record)
  }
  if (Array.isArray(value)) for (const item of value) addLists(documents, schema.items ?? true, item, lists)
  const fields = value as Record<string, unknown>
  for (const [name, field] of Object.entries((schema.properties ?? {}) as JsonObject)) {
    const child = fields[name]
    if (record !== '' && schemaOf(documents, field as JsonObject).type === 'array' && !isMarked(documents, field)) {
      const place = isObject(field) && typeof field.$ref === 'string' ? field.$ref : `${record}/properties/${name}`
      if (Array.isArray(child) && child.length === 0) lists.written.add(place)
      const isGiven = lists.given.has(name) || lists.given.has(name.replace(/s$/, '_ids'))
      const isLeftOut = child === undefined && !isMisspelt(name, fields, schema.properties as JsonObject)
      if (isLeftOut && !lists.written.has(place) && isGiven) fields[name] = []
    }
    addLists(documents, field, child, lists)
  }
}

/** Whether a missing field is present in another spelling. Then it is not left out. */
function isMisspelt(name: string, whole: Record<string, unknown>, properties: JsonObject): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  return Object.keys(whole).some((key) => !(key in properties) && plain(key) === plain(name))
}

function isMarked(documents: Documents, field: Json): boolean {
  return isObject(field) && ('x-null' in field || 'x-null' in schemaOf(documents, field))
}

/** Whether an item is of a kind that the description does not show: it lacks half of what all other kinds require. */
function isUndocumented(documents: Documents, schema: Json | undefined, item: unknown): boolean {
  if (!isObject(schema) || !Array.isArray(schema.anyOf) || !isObject(item)) return false
  const kinds = schema.anyOf.map((it) => schemaOf(documents, it as JsonObject))
  if (!kinds.some((it) => it['x-undocumented'])) return false
  const shown = kinds.filter((it) => !it['x-undocumented']).map(({ required = [] }) => required as string[])
  return shown.every((names) => names.filter((name) => name in item).length < names.length / 2)
}
