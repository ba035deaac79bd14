/** A site has documents with their overlays applied, and no overlays. */
export function extendedBy(): never {
  throw new Error('A mock in a browser takes documents, and no overlays.')
}

export { extendedBy as overlaid }
