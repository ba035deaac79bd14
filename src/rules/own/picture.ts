/** One grey pixel, as a PNG. Browsers show it as a picture of any type but SVG. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mOYtXQjAAPNAfGR/fw6AAAAAElFTkSuQmCC'

const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="#9aa5b1"/></svg>'

/** A picture for a response without an example. Undefined if its media type is not that of a picture. */
export function pictureOf(media: string | undefined): string | Uint8Array | undefined {
  if (!media?.startsWith('image/')) return undefined
  return media.startsWith('image/svg') ? drawing : Buffer.from(pixel, 'base64')
}
