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

/** Headers that tell browsers to do less with an answer than they might; web pages put a policy of their own in the place of this. */
export function hardened(isSecure: boolean): AnswerHeaders {
  return isSecure ? { ...standard, 'Strict-Transport-Security': 'max-age=31536000' } : { ...standard }
}
