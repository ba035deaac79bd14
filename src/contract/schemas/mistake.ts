/** A mistake in a document, with its place. */
export interface Mistake {
  path: string[]
  text: string
}
