import type { JsonObject } from '../load.js'
import type { Styles } from './styles.js'

/** The part of an operation that comes from the user's own document (`--with`). */
export interface Own {
  /** The document's name, for messages. */
  document: string
  /** Makes the operation for /openapi.json, on first use. */
  published: () => JsonObject
  /** How it is answered without a rule. */
  mock: { collection?: string; view?: string }
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

/** What is known of it before its parameters and bodies are read. */
export type OwnBeginning = Pick<Own, 'document' | 'at' | 'published' | 'mock'>

/** A user's own collection, with the number of rows at the start. */
export interface OwnCollection {
  name: string
  count: number
}
