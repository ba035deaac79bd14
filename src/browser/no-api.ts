/** A mock in a browser serves Knowledge Chat, with the documents of `with`. A site has the exports of its modules. */
export function readApi(): never {
  throw new Error('api and modules need Node: give the document to with')
}

export { readApi as loadAll, readApi as loadNow }
/** Errors and links of pages, which only the document of an API changes. */
export const documentedError = <Answer>(_contract: unknown, _operation: unknown, error: Answer): Answer => error
export const linksIn = (): never[] => []
export const includedIn = linksIn
export const linkHeader = () => ''

/** What they do with rows. */
export const sentFields = undefined as never
export const addedTo = sentFields
export const removeAbsent = sentFields
export const removeNulls = sentFields
export const isPart = sentFields

/** Tokens in other places than `Authorization`, and headers that it promises. */
export const [keyIn, howToSend, lackingTokens, promisedHeaders] = [sentFields, sentFields, sentFields, sentFields]

/** A site has documents with their overlays applied, and no overlays. */
export function extendedBy(): never {
  throw new Error('A mock in a browser takes documents, and no overlays.')
}

export { extendedBy as overlaid }

/** In browsers, a page gets no information about its process. */
export const createProcessMetrics = () => (): never[] => []

/** A browser has one process, so it never looks for the owner of a sandbox. */
export function createOwnerRouting(): never {
  throw new Error('There are no other processes.')
}
