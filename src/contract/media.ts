/** Whether a media type is JSON, or JSON with a name of its own such as application/problem+json. */
export function isJsonType(type: string): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)
}
