import type { Finding } from '../../src/tools/verify/results.js'
import type { VerifyResult } from '../../src/tools/verify/verify.js'

/** A text that breaks out of what does not escape it. */
export const hostile = `</pre><script>alert(1)</script> "quoted" & 'single' ]]> \u0000\u001b[31m \ud800 100%0A\n::error::pwned | \`\`\` é 🚀`

export const finding: Finding = {
  operation: 'getPersona',
  check: 'not_a_server_error',
  title: hostile,
  expected: hostile,
  got: hostile,
  curl: hostile,
  sequence: [hostile, hostile],
  more: 2
}

export const result: VerifyResult = {
  url: 'http://127.0.0.1:1',
  findings: [
    finding,
    { ...finding, title: 'another' },
    { ...finding, operation: 'deleteUser', check: 'use_after_free' }
  ],
  checks: [
    { operation: 'getPersona', check: 'not_a_server_error', outcome: 'broken', times: 3 },
    { operation: 'getPersona', check: 'content_type_conformance', outcome: 'held', times: 9 },
    { operation: 'deleteUser', check: 'use_after_free', outcome: 'broken', times: 1 }
  ],
  answers: [
    { id: 'files.deletion', choice: 'refused', differs: true, evidence: hostile, curl: hostile },
    { id: 'auth.unauthenticated', choice: '401', differs: false, evidence: 'no token', curl: 'curl -sS -i x' },
    { id: 'server.own', choice: 'any', differs: true, evidence: 'in lower case' }
  ],
  assume: { 'files.deletion': 'refused' },
  notChecked: [
    { operation: 'deleteTool', subject: hostile, why: hostile, kind: 'impossible' },
    { operation: 'deleteUser', subject: 'all', why: 'left out', kind: 'left-out' }
  ],
  made: [],
  withheld: {},
  startedAt: '2026-03-02T10:00:00.123Z',
  durations: { getPersona: 1234.5, deleteUser: 1 },
  operations: 3,
  exitCode: 1
}
