import type { ServerResponse } from 'node:http'

const headers = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY'
}

/** Tells browsers to do less with an answer than they might; web pages put a policy of their own in the place of this. */
export function harden(response: ServerResponse, isSecure: boolean): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (isSecure) response.setHeader('Strict-Transport-Security', 'max-age=31536000')
}
