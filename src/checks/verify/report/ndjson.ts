import type { VerifyResult } from '../verify.js'

/** A line of JSON per check, finding, answer and unchecked item. The last line is a summary. */
export function ndjson({
  url,
  checks,
  findings,
  answers,
  notChecked,
  operations,
  exitCode,
  problem
}: VerifyResult): string {
  const lines = [
    ...checks.map((it) => ({ type: 'check', ...it })),
    ...findings.map((it) => ({ type: 'finding', ...it })),
    ...answers.map((it) => ({ type: 'answer', ...it })),
    ...notChecked.map((it) => ({ type: 'not-checked', ...it })),
    { type: 'summary', url, operations, checks: checks.length, findings: findings.length, exitCode, problem }
  ]
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}
