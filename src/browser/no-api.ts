/** A mock in a browser serves Knowledge Chat, with the documents of `with`. A site has the exports of its modules. */
export function readApi(): never {
  throw new Error('api and modules need Node: give the document to with')
}

export { readApi as loadAll, readApi as loadNow }
