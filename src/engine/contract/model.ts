import type { Json, JsonObject } from './load.js'

/** A refusal that a rule may throw, in the form in which it is sent. Texts may have {placeholders}. */
export interface RefusalRow {
  status: number
  assumed: string[]
  headers?: Record<string, string>
  /** Where the problem is, if the status is 422. */
  loc?: string[]
  body: JsonObject
  /** Example values of the {placeholders}. Path parameters have their own. */
  example?: Record<string, string>
}

export interface ResponseRow {
  description: string
  /** The media type if it is not JSON. */
  media?: string
  /** Absent: the response has no body. */
  schema?: JsonObject
  examples?: Record<string, Json>
  /** The assumptions about the response as a whole. */
  assumed?: string[]
}

export type Access = { roles: string[] | null; detail: string }

/** One operation of the interface: a row of contracts/<resource>.json, resolved. */
export interface Operation {
  id: string
  /** E1 to E30, its number in the description. Empty for the control API. */
  code: string
  /** Whether it belongs to the control API. */
  control: boolean
  resource: string
  method: string
  path: string
  summary: string
  /** Its text in the description, in Markdown. Empty for the control API. */
  description: string
  /** Who may call it, by choice of `auth.roles`. */
  access: Record<string, string>
  /** Chat operations answer 422 with input and ctx (2.16). */
  chat: boolean
  /** The body is multipart/form-data. */
  form: boolean
  /** Uploaded zips are expanded; see upload.zip. */
  zips: boolean
  /** For the control API: needs no token. */
  open: boolean
  /** The answer is an endless stream of server-sent events. */
  stream: boolean
  /** The answer redirects a browser and has no body. */
  redirect: boolean
  /** Sends requests and waits for their answers. */
  waits: boolean
  /** Changes nothing, though its method is not GET. */
  looks: boolean
  /** For the control API: affects more than its own sandbox. */
  wide: boolean
  /** For the control API: speaks the Model Context Protocol. */
  agents: boolean
  /** For the control API: a tool for coding agents. A text is added to its summary. */
  tool: boolean | string
  /** For the control API: how many requests it counts as, if they are limited. */
  cost: number
  /** For the control API: the body may have any number of values. */
  bulk: boolean
  input: { path?: JsonObject; query?: JsonObject; header?: JsonObject; cookie?: JsonObject; body?: JsonObject }
  examples: Record<string, { path?: JsonObject; query?: JsonObject; body?: Json }>
  responses: Record<string, ResponseRow>
  refusals: Record<string, RefusalRow>
  /** Set for a user's own operation. */
  own?: Own
}

/** How an answer is sent value by value. */
export interface Pace {
  /** Milliseconds before the first value, and between two values. */
  first?: number
  every?: number
  /** The number of values after which the connection breaks. */
  cutAfter?: number
}

/** A collection of rows: their schema, and which rows of other collections they refer to. */
export interface CollectionRow {
  name: string
  resource: string
  description: string
  references: Record<string, string>
  /** Named sets of fields for new rows. */
  traits?: Record<string, string>
  /** Groups of fields whose values must be unique. */
  unique?: [string, ...string[]][]
  /** Fields that differ in all rows that are created together. */
  distinct?: string[]
  row: JsonObject
}

/** The part of an operation that comes from the user's own document (`--with`). */
export interface Own {
  /** The document's name, for messages. */
  document: string
  /** Makes the operation for /openapi.json, on first use. */
  published: () => JsonObject
  /** How it is answered without a rule. */
  mock: { collection?: string; view?: string; session?: string; stream?: Pace }
  /** Whether a request must have a body. */
  isBodyRequired: boolean
  /** The place in the document. */
  at: string[]
  /** Query parameters that may be repeated. */
  lists: ReadonlySet<string>
  /** How its parameters are written. */
  styles: Styles
  /** Fields of its form that may be repeated. */
  formLists: ReadonlySet<string>
  /** Fields of its form that are objects, as JSON. */
  formObjects: readonly string[]
  /** Whether the last parameter of its path may contain slashes. */
  isRest: boolean
  /** The media type of its body if that is neither JSON nor a form. */
  media?: string
}

/** What is known about it before its parameters and bodies are read. */
export type OwnBeginning = Pick<Own, 'document' | 'at' | 'published' | 'mock'>

/** A user's own collection, with the number of rows at the start. */
export interface OwnCollection {
  name: string
  count: number
}

/** How the values of parameters are written in requests, if not in the usual way. */
export interface Styles {
  /** The separator of lists that are one text, by place and name. */
  separators: Record<Place, Map<string, string>>
  /** Objects in the query: `filter[name]=x`. */
  deep: Set<string>
  /** Parameters of the path that are lists or have a mark before their value. */
  path: Map<string, PathStyle>
}

export interface PathStyle {
  style: 'simple' | 'label' | 'matrix'
  /** `;x=1;x=2` instead of `;x=1,2`. */
  isExploded: boolean
  isList: boolean
}

/** The parts of a request that have parameters of several styles. */
export type Place = 'query' | 'header' | 'cookie'

/** A user's own document (`--with`) in the form of the contracts. */
export interface OpenApiDocument {
  /** The file's name, for messages. */
  name: string
  /** The name of the document in references. */
  key: string
  /** The target of references: OpenAPI 3.1, with the mock's keywords in its schemas. */
  document: JsonObject
  operations: Operation[]
  collections: CollectionRow[]
  /** The number of rows that each collection starts with. */
  counts: OwnCollection[]
  /** Makes the schemas of its components, as /openapi.json shows them. */
  schemas: () => JsonObject
  /** The document's operations that the platform still answers. */
  kept: string[]
  /** The ids of the platform's operations that it replaces. */
  replaced: string[]
  mistakes: Mistake[]
  /** Remarks that are not mistakes. */
  notes: string[]
}

/** A mistake in a document, with its place. */
export interface Mistake {
  path: string[]
  text: string
}

/** The parts of a request as received: texts in path and query, JSON or form fields in body. */
export interface RawInput {
  path: Record<string, string>
  query: Record<string, string | string[]>
  header?: Record<string, string>
  cookie?: Record<string, string>
  body: unknown
}

/** How a JSON body is read: `strict` keeps JSON's types, `lax` converts as pydantic does. */
export type Coercion = 'strict' | 'lax'

/** One error in a request, worded as pydantic 2 does (an item of 2.16). */
export interface InputError {
  type: string
  loc: (string | number)[]
  msg: string
  input: unknown
  ctx?: JsonObject
}

/** The part of an operation that a check reads. */
export type Typed = Pick<Operation, 'input' | 'form'>

/** The forms of an error body in common.json. */
export type ErrorForm = 'Detail' | 'Message' | 'ValidationError' | 'ChatValidationError'
export const errorForms: readonly ErrorForm[] = ['Detail', 'Message', 'ValidationError', 'ChatValidationError']

/** The parts that all operations share. */
export interface CommonParts {
  access: Record<string, Access>
  /** The access entry of an operation that guards it. Without such an entry, anyone may call it. */
  guard: { by: string }
  /** Refusals of any operation. */
  refusals: Record<string, RefusalRow>
}

/** Whether an operation changes nothing. */
export function isReading({ method, looks }: Operation): boolean {
  return method === 'GET' || looks
}
