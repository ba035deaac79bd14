import type { IncomingMessage } from 'node:http'

/** Who asks, and in which sandbox; both may be absent. */
export interface Bearer {
  key: string | undefined
  sandbox: string | undefined
}

/** The bearer token (RFC 6750) is a user's key, with a sandbox after a tilde; X-Mock-Sandbox wins over it. */
export function readBearer(request: IncomingMessage, tokensNameSandboxes = true): Bearer {
  const named = request.headers['x-mock-sandbox'] as string | undefined
  const token = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) return { key: undefined, sandbox: named }
  const tilde = tokensNameSandboxes ? token.indexOf('~') : -1
  if (tilde < 0) return { key: token, sandbox: named }
  return { key: token.slice(0, tilde), sandbox: named ?? token.slice(tilde + 1) }
}
