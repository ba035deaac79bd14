import type { Request } from './message.js'

/** Who asks, and in which sandbox; both may be absent. */
export interface Bearer {
  key: string | undefined
  sandbox: string | undefined
}

/** The bearer token (RFC 6750) is a user's key, with a sandbox after a tilde; X-Mock-Sandbox wins over it. */
export function readBearer({ headers }: Pick<Request, 'headers'>, tokensNameSandboxes = true): Bearer {
  const named = headers['x-mock-sandbox'] as string | undefined
  const token = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(headers.authorization ?? '')?.[1]
  if (token === undefined) return { key: undefined, sandbox: named }
  const tilde = tokensNameSandboxes ? token.indexOf('~') : -1
  if (tilde < 0) return { key: token, sandbox: named }
  return { key: token.slice(0, tilde), sandbox: named ?? token.slice(tilde + 1) }
}

/** What is wrong with a header Authorization that names no token, as the end of a sentence. */
export function wrongBearer(header: string | undefined): string {
  if (header === undefined) return 'send the header Authorization: Bearer <user>, for example Bearer admin.'
  const [scheme = '', ...rest] = header.trim().split(/ +/)
  const form = 'Send Authorization: Bearer <user>.'
  if (scheme === '') return `the Authorization header is empty. ${form}`
  if (scheme.toLowerCase() !== 'bearer') {
    return rest.length === 0
      ? `the Authorization header has no scheme before the token. ${form}`
      : `the scheme of the Authorization header is not Bearer. ${form}`
  }
  if (rest.length === 0) return `no token follows Bearer in the Authorization header. ${form}`
  if (rest.length > 1) return `more than one word follows Bearer in the Authorization header. ${form}`
  return `the token in the Authorization header has characters that no token may have. It may have letters, digits and - . _ ~ + / with = at its end.`
}
