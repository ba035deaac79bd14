import { checks } from '../checks.js'
import type { Finding } from '../record.js'
import type { VerifyResult } from '../verify.js'

/**
 * JUnit XML: a test case per operation and check. A failure is a broken contract, an error what could not be checked
 * on this server, a skipped case what the options left out.
 */
export function junit({ url, checks: made, findings, notChecked }: VerifyResult): string {
  const cases = [
    ...made.map(({ operation, check }) =>
      testCase(operation, check, findings.filter((it) => it.operation === operation && it.check === check).map(failure))
    ),
    ...notChecked.map(({ operation, subject, why, kind }) =>
      testCase(operation, subject, [kind === 'impossible' ? element('error', why) : element('skipped', why)])
    )
  ]
  const count = (kind: 'impossible' | 'left-out') => notChecked.filter((it) => it.kind === kind).length
  const broken = made.filter((it) => it.outcome === 'broken').length
  const totals = `tests="${cases.length}" failures="${broken}" errors="${count('impossible')}" skipped="${count('left-out')}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="knowledge-chat-mock verify" ${totals}>`,
    `<testsuite name="${xml(url)}" ${totals}>`,
    ...cases,
    '</testsuite>',
    '</testsuites>',
    ''
  ].join('\n')
}

function testCase(operation: string, name: string, children: string[]): string {
  const start = `<testcase classname="${xml(operation)}" name="${xml(name)}"`
  return children.length === 0 ? `${start}/>` : `${start}>${children.join('')}</testcase>`
}

function failure({ check, title, expected, got, sequence, more }: Finding): string {
  const also = more > 0 ? `\nand ${more} more` : ''
  const text = `${checks[check]}\n${title}\nexpected ${expected}\ngot ${got}\n${sequence.join('\n')}${also}`
  return `<failure message="${xml(`${title}: expected ${expected}`)}" type="${check}">${xml(text)}</failure>`
}

function element(name: 'error' | 'skipped', message: string): string {
  return `<${name} message="${xml(message)}"/>`
}

/** XML 1.0 has no control characters but tab and line ends, and no lone surrogates. */
function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}
