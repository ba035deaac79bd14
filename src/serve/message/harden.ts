import type { AnswerHeaders } from './message.js'

const standard = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY'
}

/** Security headers for browsers. Pages replace the policy with their own. */
export function hardened(isSecure: boolean): AnswerHeaders {
  return isSecure ? { ...standard, 'Strict-Transport-Security': 'max-age=31536000' } : { ...standard }
}
