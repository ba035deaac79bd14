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
  /** The media type if it is JSON of another kind, such as `application/problem+json`. */
  jsonType?: string
  /** Its headers by name, in lower case. */
  headers?: Record<string, { schema: Json; isRequired: boolean }>
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
  chat?: boolean
  /** The body is multipart/form-data. */
  form: boolean
  /** Uploaded zips are expanded; see upload.zip. */
  zips?: boolean
  /** For the control API: needs no token. */
  open: boolean
  /** The answer is an endless stream of server-sent events. */
  stream?: boolean
  /** The answer redirects a browser and has no body. */
  redirect?: boolean
  /** Sends requests and waits for their answers. */
  waits?: boolean
  /** Changes nothing: its method is GET, or it has the trait readOnly. */
  isReading: boolean
  /** For the control API: affects more than its own sandbox. */
  crossSandbox?: boolean
  /** For the control API: speaks the Model Context Protocol. */
  agents?: boolean
  /** For the control API: a tool for coding agents. `about` replaces its summary; they see only these arguments. */
  tool?: { name?: string; about?: string; destructive?: boolean; arguments?: string[] }
  /** For the control API: how many requests it counts as, if they are limited. */
  cost: number
  /** For the control API: the body may have any number of values. */
  unbounded?: boolean
  input: { path?: JsonObject; query?: JsonObject; header?: JsonObject; cookie?: JsonObject; body?: JsonObject }
  examples: Record<string, { path?: JsonObject; query?: JsonObject; body?: Json }>
  responses: Record<string, ResponseRow>
  refusals: Record<string, RefusalRow>
  /** The values of query parameters that a request leaves out. */
  defaults?: JsonObject
  /** How its parameters are written, if not in the usual way. */
  styles?: Styles
  lists?: ReadonlySet<string>
  /** Fields of its form that may be repeated. */
  formLists: ReadonlySet<string>
  formType?: string
  /** Fields of its form that are objects, as JSON. */
  formObjects: readonly string[]
  /** Whether its form may be URL-encoded. */
  isUrlEncoded?: boolean
  /** The media type of its JSON body, if the document does not name application/json. */
  jsonType?: string
  /** The media types of its body if that is neither JSON nor a form. */
  media?: readonly string[]
  /** The operation with a form as its body, which the document describes next to JSON. */
  withForm?: Operation
  /** Whether a request must have the body that it declares. */
  isBodyRequired: boolean
  /** Whether the last parameter of its path may contain slashes. */
  isRest?: boolean
  mock?: MockAnswer
  /** Its place in a user's document. Absent: it is in the contracts. */
  origin?: Origin
}

/** How an operation is answered without a rule (`x-mock`). */
export interface MockAnswer {
  /** The rows that it shows and changes. */
  collection?: string
  /** The operation that shows these rows. */
  view?: string
  /**
   * The row that the first parameters of its path name, if it is not an operation of a collection. `isShown`: the answer is the row.
   * `action`: what it sets in the row. `isChange`: it sets what its body has.
   */
  row?: {
    collection: string
    parameters: number
    isShown: boolean
    action?: { field: string; value: string | boolean } | undefined
    isChange?: boolean
  }
  session?: 'login' | 'signup' | 'logout' | 'me'
  /** The path of this host that it sends a browser on to. */
  redirect?: string
  stream?: Pace
}

/** A place in a user's document (`--with`). */
export interface Origin {
  /** The document's name, for messages. */
  document: string
  path: string[]
  /** Makes the operation for /openapi.json, on first use. */
  published: () => JsonObject
}

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
  /** The words for a row and for several, if the name has others. */
  label?: [one: string, several: string]
  /** Named sets of fields for new rows. */
  traits?: Record<string, string>
  /** Groups of fields whose values must be unique. */
  unique?: [string, ...string[]][]
  /** Fields that differ in all rows that are created together. */
  distinct?: string[]
  row: JsonObject
  /** The rows of each kind, if a document has several. `row` then has the fields of all. */
  kinds?: JsonObject[]
  /** The number of rows that a document's collection starts with. Absent: it is in the contracts. */
  count?: number
  /** The field that paths name its rows by. Absent: `id`. */
  key?: string
  /**
   * The collection whose rows they belong to, and the field that names the row (by this field of it, or its id). One may only show its
   * key, and others what the row belongs to, by the row's fields. `isScope`: rows of different parents may have the same key.
   */
  parent?: {
    collection: string
    field: string
    by?: string
    key?: string
    above?: Record<string, string>
    isScope?: boolean
  }
  /** Whether it has one row without a key, or one for each row of its parent: `/settings`. */
  isSingle?: boolean
  /** Whether its rows are the users who call the API, and have the fields of `hiddenOfUsers`. */
  isUsers?: boolean
  /** The collection whose rows its key names, and how paths call it: `/teams/{id}/members/{user_id}`. A PUT adds such a row. */
  member?: { collection: string; parameter: string }
  /** Fields with the ids of rows of other collections, which need not exist. */
  links?: Record<string, string>
  /** The same of fields in its lists and objects: `product_id` in `items`. */
  inner?: [field: string, name: string, collection: string][]
  /** Fields that name no row, whatever they are called. */
  unlinked?: string[]
}

/** Reads the value of a parameter that is not written in the usual way. */
export type ReadStyle = (sent: string | string[]) => unknown

/** How the values of parameters are written in requests, by name. */
export interface Styles extends Record<Place, Map<string, ReadStyle>> {
  /** Objects in the query: `filter[name]=x`. */
  deep: Set<string>
  /** Whether the query may be JSON as a whole (OpenAPI 3.2). */
  isJson?: boolean
}

export type Place = 'path' | 'query' | 'header' | 'cookie'

/** A user's document (`--with`) in the form of the contracts. */
export interface OpenApiDocument {
  /** The file's name, for messages. */
  name: string
  /** The file, unless an overlay changes it. */
  file?: string | undefined
  /** The name of the document in references. */
  key: string
  /** The target of references: OpenAPI 3.1, with the mock's keywords in its schemas. */
  document: JsonObject
  operations: Operation[]
  collections: CollectionRow[]
  /** Makes the schemas of its components, as /openapi.json shows them. */
  schemas: () => JsonObject
  webhooks: () => JsonObject
  /** The document's operations that the platform still answers: their ids there, and where the document has them. */
  kept: { id: string; path: string; place: string[] }[]
  /** The ids of the platform's operations that it replaces. */
  replaced: string[]
  /** The schemas that others are composed of. */
  parts: ReadonlySet<JsonObject>
  mistakes: Mistake[]
  /** Remarks that are not mistakes. */
  notes: string[]
}

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

export type ErrorForm = 'Detail' | 'Message' | 'ValidationError' | 'ChatValidationError'
export const errorForms: readonly ErrorForm[] = ['Detail', 'Message', 'ValidationError', 'ChatValidationError']

export interface CommonParts {
  access: Record<string, Access>
  /** The access entry of an operation that guards it. Without such an entry, anyone may call it. */
  guard: { by: string }
  refusals: Record<string, RefusalRow>
}
