/** `node:vm`: a browser has no other classes than its own. */
export function runInThisContext(): Pick<typeof globalThis, 'Request' | 'Response' | 'FormData'> {
  const { Request, Response, FormData } = globalThis
  return { Request, Response, FormData }
}
