import type { Faker } from '@faker-js/faker'
import type { Choices, Json, JsonObject } from './contract/load.js'
import type { RuleReply } from './contract/message/reply.js'
import type { Operation } from './contract/model.js'
import type { AnyRow, Id } from './store/collection.js'
import type { Collections, RowsIn, Store } from './store/rows.js'
import type { Steps } from './store/steps.js'

/** What a rule knows in addition to its input. */
export interface Context {
  /** The row of the user. It is null if the operation needs no token and none was sent, which only documents allow. */
  user: AnyRow
  /** The collections of the sandbox by name. Those of a document's rule check and freeze their rows (`CheckedRows`). */
  rows: Store
  ids: { next(collection: string): number; nextFree(collection: string): number; uuid(): string }
  /** The sandbox's name. A sign-in can use it to keep a browser there. */
  sandbox: string
  /** The sandbox's time, in the format of responses. */
  now: string
  seed: number
  /** The values that a definition of the contract in force allows, such as `common.json#/$defs/Role`. Null: any. */
  valuesOf(definition: string): ReadonlySet<string> | null
  /** The choice in force. The response will name the assumption. */
  assume(id: string): string
  /** Generates values. The same request in the same state gets the same values. */
  readonly faker: Faker
  /** The answer that the operation of a document has without its rule. */
  otherwise(): RuleReply
  /** Ends the rule with an error in the platform's format, `{ "detail": … }`. */
  refuse(status: number, detail: string): never
  /** An answer with headers, or with a status other than the first success. Bytes are sent unchanged. */
  reply(status: number, body?: unknown, headers?: Record<string, string>): RuleReply
}

/**
 * The function of an operation, in an API or in the `rules.js` of a document. It returns the body of the answer, or the result of
 * `context.reply`. It is synchronous, so that every request is a transaction. It checks before it writes,
 * so that a refused request changes nothing.
 */
export type Rule<Input = unknown, Of = Context, Reply = unknown> = (input: Input, context: Of) => Reply

/** The part of the context that reading statuses needs. */
export type StatusContext = Pick<Context, 'rows' | 'now' | 'seed' | 'assume'>

/** The next state of a row: by the clock, after some reads, or, without either, never by itself. */
export interface LifecycleStep {
  next: string | null
  at: string | null
  reads_left?: number
}

/** How the status of a collection's rows changes. It is a function of the sandbox's clock: there are no timers. */
export interface Lifecycle<Row = AnyRow, At = StatusContext> {
  /** The field with the status, or with the one at the end of the lifecycle. */
  field: keyof Row & string
  /** The statuses in their order: from one stage, a row moves to a status of the next. A row can be set to each of them. */
  stages: readonly (readonly string[])[]
  setStatus(at: At, row: Row, to: never): void
  /** The next step of a row, with its status and its name for people. Undefined: its lifecycle has ended. */
  next?(at: At, row: Row): ({ name: string; status: string } & LifecycleStep) | undefined
  /** The times of a row in progress. A sandbox that starts later has them, and those of the rows that link it, as much later. */
  shifts?: {
    end: keyof Row & string
    times: readonly (keyof Row & string)[]
    /** The rows of other collections that link it, by a field. */
    links?: Readonly<Record<string, { by: string; times: readonly string[] }>>
  }
}

/** A collection, and what its rows are without a write: by the clock, or by the number of reads. */
export interface CollectionParts<Row = AnyRow, At = StatusContext> {
  /** The look-up indices. The last field makes entries unique. */
  indices?: Collections[string]['indices']
  /** Whether a row no longer exists. */
  isGone?(at: At, row: Row): boolean
  /** The row as it is now: the same object if nothing has changed. */
  shown?(at: At, row: Row): Row
}

export interface SeedOptions {
  seed: number
  scale: number
  /** Milliseconds since 1970. */
  now: number
}

/** The initial rows of a state. The same arguments give the same rows. */
export type Seeding = (set: string, from: SeedOptions) => Steps<RowsIn>

export interface World {
  readonly rows: Store
  /** Makes and stores a row that another row needs. */
  create(collection: string, part?: object): AnyRow
  /** Values that are computed once for all rows made together. */
  once<T>(key: string, make: () => T): T
}

/** The inputs for a row, besides the given part. */
export interface RowOrigin extends Omit<SeedOptions, 'scale'> {
  /** Gives a number to a row that comes with it. */
  numberOf: (collection: string) => number
  traits?: readonly string[]
}

/** Makes the rest of a row, and rows that come with it, by collection. */
export type MakeRow = (
  from: RowOrigin,
  given: { id: Id } & Record<string, unknown>,
  world: World
) => {
  row: object
  others?: [collection: string, row: object][]
  /** Two traits that give one field different values. There is then no row. */
  clash?: { traits: [string, string]; field: string } | undefined
}

/** The factory of a collection's rows. Undefined: there is none. */
export type FactoryOf = (collection: string) => MakeRow | undefined

/** The whole of what the engine knows of an API, besides its contracts and ledger. */
export interface Api<Rows = Record<string, AnyRow>, At = StatusContext, AnyRule = Rule> {
  title: string
  description: string
  /** Begins the names of its metrics. */
  prefix: string
  /** The collection of its users, and the fields of a row with the token, the role, whether the user is active, and the address. */
  users: {
    collection: keyof Rows & string
    token: string
    role: string
    /** Absent: all are active. */
    active?: string
    email: string
    /** The first users of a collection of a document. */
    list?: readonly { key: string; name: string; email: string; role: string }[]
    /** The tokens of the users that every fixture set has. The first is that of an administrator. */
    common: readonly string[]
  }
  collections: { readonly [C in keyof Rows]: CollectionParts<Rows[C], At> }
  lifecycles: { readonly [C in keyof Rows]?: Lifecycle<Rows[C], At> }
  rules: Readonly<Record<string, AnyRule>>
  fixtures: {
    sets: readonly string[]
    seeding: Seeding
    factoryOf: FactoryOf
  }
  /** The scenarios that come with it, by their names in `fixtures/scenarios`. */
  scenarios: readonly string[]
  ledger: {
    /** The question what a path with one slash too many or too few gets: `redirected`, or the answer. */
    trailingSlash: string
  }
  /** What messages and hints give as examples: a path, an operation, a row, and the field of a body. */
  examples: { path: string; operation: string; row: string; field: string }
  /** The choices that hide secrets. A mock that is open to anybody has no others. */
  secrets: Choices
  /** Set if an OpenAPI document describes it, and not contracts. */
  document?: DocumentApi
}

export interface TokenPlace {
  in: 'header' | 'query' | 'cookie'
  /** In lower case for a header. */
  name: string
  /** What precedes the token in `Authorization`. */
  scheme?: 'Bearer' | 'Basic'
}

/** An operation, or one parameter, header or media type of it, that has no effect on rows. */
export interface NotUnderstood {
  operation: string
  /** Absent: the operation as a whole. */
  part?: 'query' | 'request-header' | 'response-header' | 'body'
  name?: string
  why: string
}

/** What an API has from its OpenAPI document. Errors then have the forms of the document. */
export interface DocumentApi {
  info: JsonObject
  security: Json
  securitySchemes: JsonObject
  /** The headers, query parameters and cookies that hold a token, besides `Authorization`. */
  keys: { headers: readonly string[]; query: readonly string[]; cookies: readonly string[] }
  /** Where an operation wants tokens: the places of each way, which are all needed. */
  placesOf(operation: Operation): readonly (readonly TokenPlace[])[]
  /** What of the document has no effect on rows. */
  notUnderstood: NotUnderstood[]
  /** Whether the answers of an operation, or those without one, can rest on a question of the ledger. */
  canRestOn(question: string, operation: string | undefined): boolean
}

/** Describes an API to the engine. `Rows`: the rows of its collections. `At`: what its statuses are read from. */
export function defineApi<Rows, At>(api: Api<Rows, At, Rule<never, never>>): Api {
  return api as unknown as Api
}

/** Contracts without an API that they are a part of, for tools that only check messages. */
export const contractsOnly: Api = {
  title: '',
  description: '',
  prefix: '',
  users: { collection: '', token: '', role: '', active: '', email: '', common: [] },
  collections: {},
  lifecycles: {},
  rules: {},
  fixtures: {
    sets: [],
    *seeding() {
      yield
      return {}
    },
    factoryOf: () => undefined
  },
  scenarios: [],
  ledger: { trailingSlash: '' },
  examples: { path: '', operation: '', row: '', field: '' },
  secrets: {}
}
