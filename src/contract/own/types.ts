import type { JsonObject } from '../load.js'

/** What is wrong in a document: where, and what. */
export interface Mistake {
  path: string[]
  text: string
}

/** What an operation has that comes from a document of the user's own (`--with`). */
export interface Own {
  /** The document's name, for people. */
  document: string
  /** Makes what /openapi.json shows of it: nobody may ask. */
  published: () => JsonObject
  /** How it is answered without a rule. */
  mock: { collection?: string; view?: string }
  /** Whether a request must have a body. */
  isBodyRequired: boolean
  /** Where it stands in the document. */
  at: string[]
  /** Query parameters that may come more than once. */
  lists: ReadonlySet<string>
  /** Fields of its form that may come more than once. */
  formLists: ReadonlySet<string>
  /** The media type of its body, where that is neither JSON nor a form. */
  media?: string
}

/** Rows of the user's own: how many there are at the start. */
export interface OwnCollection {
  name: string
  count: number
}
