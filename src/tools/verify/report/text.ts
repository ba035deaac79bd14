import { defaultChoices, readLedger } from '../../../engine/contract/ledger.js'
import { checks } from '../checks.js'
import { groupBy } from '../group.js'
import type { Finding, NotChecked } from '../results.js'
import type { VerifyResult } from '../verify.js'

/** The report for a terminal or a build log. */
export function text(result: VerifyResult): string {
  const { url, findings, checks: made, answers, notChecked, operations, assume, problem } = result
  const differing = answers.filter((answer) => answer.differs)
  const impossible = notChecked.filter((it) => it.kind === 'impossible')
  const leftOut = notChecked.filter((it) => it.kind === 'left-out')
  const times = made.reduce((sum, it) => sum + it.times, 0)
  const parts = [
    ...findings.map(findingOf),
    impossible.length > 0 && `could not check\n${grouped(impossible)}`,
    leftOut.length > 0 && `left out: ${leftOut.length} subjects. ${reasons(leftOut)}`,
    differing.length > 0 &&
      `this server\n${differing.map(({ id, choice, evidence }) => `  ${id}=${choice}  (${evidence})\n`).join('')}`,
    command(assume),
    `${url}: ${operations} operations, ${made.length} checks made ${times} times, ${plural(findings.length, 'finding')}, ${answers.length} answers, ${impossible.length} not checked`,
    problem !== undefined && `could not run: ${problem}`
  ]
  return `${parts.filter(Boolean).join('\n')}\n`
}

function findingOf({ operation, check, title, expected, got, sequence, more }: Finding): string {
  const lines = [
    `✗ ${operation}  ${check}  ${title}`,
    `  ${checks[check]}.`,
    `  expected  ${expected}`,
    `  got       ${got}`,
    ...sequence.map((line) => `  ${line}`),
    more > 0 ? `  and ${more} more like it` : undefined
  ]
  return `${lines.filter((line) => line !== undefined).join('\n')}\n`
}

/** Each reason once, with its operations. */
function grouped(entries: NotChecked[]): string {
  return groupBy(entries, (it) => it.why)
    .map(([why, group]) => `  ${[...new Set(group.map((it) => it.operation))].join(', ')}: ${why}\n`)
    .join('')
}

function reasons(entries: NotChecked[]): string {
  const sentences = groupBy(entries, (it) => it.why).map(([why]) => `${why[0]?.toUpperCase()}${why.slice(1)}.`)
  return `${sentences.join(' ')}
`
}

/** The command that starts the mock with the server's choices. Unknown ones stay as documented. */
function command(assume: VerifyResult['assume']): string | undefined {
  const documented = defaultChoices(readLedger())
  const other = Object.entries(assume).filter(([id, choice]) => documented[id] !== choice)
  if (other.length === 0) return undefined
  return `the mock like this server\n  npx knowledge-chat-mock ${other.map(([id, choice]) => `--assume ${id}=${choice}`).join(' ')}\n`
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
