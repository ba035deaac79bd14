import type { Json, JsonObject } from '../../engine/contract/load.js'
import type { Input, Placed } from './calls/request.js'

export type Id = number | string

/** Ids of rows by kind, as in the options. */
export type RowIds<Kind extends string = string> = { [K in Kind]?: readonly Id[] }

/** The operations that read and delete a row, if there are any. */
export interface RowOperations {
  read?: string | undefined
  remove?: string | undefined
}

/** A kind of row that verify can be given. */
export interface RowKind extends RowOperations {
  /** The parameter or field that names a row by its id. */
  name: string
  /** How many rows the checks need that they may change and delete. Default: they make their own. */
  needed?: number
  /** The check that a listed row is readable in any status. */
  check?: 'file_readable_in_any_status'
  /** Likely ids, if no list has such rows. */
  likely?: readonly Id[]
  /** Whether lists have only rows of the caller. */
  isOwned?: boolean
  /** An id that no row has, if its form is not that of other ids. */
  unknown?: (seed: number) => string
}

/** What the contract does not say about an operation. */
export interface OperationTraits {
  /** It creates something with each call. */
  creates?: boolean
  /** The rows that a success creates. */
  makes?: RowOperations & {
    kind: string
    /** Their ids by its reply and input. The reply is undefined if it was lost. */
    ids: (body: unknown, input: Input) => readonly unknown[]
    /** The lists in which the run finds them by their texts, and the field with their id. Default: id. */
    lists?: readonly Read[]
    key?: string
  }
  /** Valid values depend on the server, so only examples are sent. */
  isBound?: boolean
  /** The server decides which valid requests it accepts. */
  isSelective?: boolean
  /** The description shows which fields are required. */
  isExplicit?: boolean
  /** Fields whose names the description does not give, so a server may not know them. */
  unnamed?: readonly string[]
  /** The path parameter that names a missing row when values are unusual, so that nothing is created. */
  unusualFor?: string
  /** Changes an example before it is sent. */
  example?: (input: Input) => Input
  /** An input that changes nothing. */
  harmless?: Input
  /** The ledger's entry about a missing row, and the choice that an answer shows. */
  missing?: { entry: string; choiceOf: (status: number, isRefused: boolean) => string; mayCreate?: boolean }
  /** The reason for which a server may refuse a valid input. */
  mayRefuse?: (input: Input) => string | undefined
  /** Bodies with unusual texts, for fields that need a certain form. */
  unusual?: (texts: Record<string, string>) => [what: string, body: JsonObject][]
}

/** A call that reads something. */
export type Read = [id: string, input: Input]

/** What verify needs of an API in addition to its contract, as data. */
export interface ApiTable {
  kinds: { readonly [kind: string]: RowKind }
  operations: { readonly [id: string]: OperationTraits }
  /** The operation that shows the role of the caller. */
  caller: string
  /** Operations for the first requests, without parameters if there are any. Their state is read for each user. */
  entrances: readonly string[]
  placed?: Placed
  /** The tokens of the mock's own users. They are never sent to another server. */
  tokens: { admin: string; user: string }
  /** The role of a user who is not an administrator, in the contract. */
  userRole: string
  /** A field of a body, as an example of one that a choice may list. */
  field: string
  /** What the calls that change something must leave. */
  state: {
    /** Also read by the administrator. */
    admin: readonly Read[]
    /** The kind of each list whose rows are read by the user who sees it. Other kinds are read by the administrator. */
    rows: { readonly [list: string]: string }
    /** The fields that identify an item of a list. The first that it has counts. */
    ids: readonly string[]
    /** Fields that clocks and lifecycles change, and rows that change by themselves. */
    moving: RegExp
    isUnsteady: (row: JsonObject) => boolean
  }
  /** The rows in replies, by operation and kind: the fields that lead to them. */
  shows: { readonly [id: string]: { readonly [kind: string]: readonly string[] } }
  /** Fields that depend on the reply that shows a row. */
  local: readonly string[]
  /** Path parameters that are fields of rows, by name. */
  parameters: { readonly [name: string]: { kind: string; field: string } }
  /** The field of a success that says whether anything was done. */
  success: string
  /** Fields whose content reports do not show. */
  secrets: readonly string[]
  /** Fields that name rows. */
  naming: RegExp
  /** Fields whose values come from examples. */
  referring: RegExp
  /** Other fields whose valid values depend on the server. */
  limited: RegExp
  /** Values of examples that name something, for other servers. */
  neutral: { readonly [name: string]: (mark: string) => Json }
}

/** Ids that should not exist: within the range of a database's integer, and a UUID of this run. */
export const unknownNumber = 1_987_654_321
export const unknownUuid = '5eedbeef-0000-4000-8000-00000000dead'

/** Whether two ids name the same row. UUIDs are compared without case. */
export function isSameId(a: unknown, b: unknown): boolean {
  return String(a).toLowerCase() === String(b).toLowerCase()
}

/** The kind of row that a parameter or field names. */
export function kindNamed({ kinds }: ApiTable, name: string): string | undefined {
  return Object.keys(kinds).find((kind) => kinds[kind]?.name === name)
}
