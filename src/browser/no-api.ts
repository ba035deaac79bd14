/** A mock in a browser serves Knowledge Chat, with the documents of `with`. */
export function readApi(): never {
  throw new Error('api needs Node: give the document to with')
}
