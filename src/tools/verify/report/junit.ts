import { hostname } from 'node:os'
import { checks } from '../checks.js'
import { groupBy } from '../group.js'
import type { Finding } from '../results.js'
import type { VerifyResult } from '../verify.js'

interface Case {
  operation: string
  name: string
  /** How often the check was made. */
  times: number
  outcome: 'held' | 'failure' | 'error' | 'skipped'
  /** The XML for a case that failed or was skipped. */
  told: string
}

/**
 * JUnit XML that fits both Ant's and Jenkins' schemas: a suite per operation, with a case per check. A failure is a
 * broken contract, and a skipped case was not checked. Only a run that shows nothing has an error. The time of a suite
 * is the time of its requests. Requests serve several checks, so cases share it in proportion to how often each check
 * was made.
 */
export function junit(result: VerifyResult): string {
  const suites = groupBy(casesOf(result), (it) => it.operation).map(([operation, cases], id) =>
    suite(result, operation, cases, id)
  )
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n')
}

function casesOf({ checks: made, findings, notChecked, problem }: VerifyResult): Case[] {
  const error = problem === undefined ? '' : `<error${attributesOf({ type: 'could-not-run', message: problem })}/>`
  return [
    ...(error === ''
      ? []
      : [{ operation: 'verify', name: 'the run', times: 0, outcome: 'error' as const, told: error }]),
    ...made.map(({ operation, check, times, outcome }): Case => {
      const found = findings.filter((it) => it.operation === operation && it.check === check)
      const isHeld = outcome === 'held'
      const told = isHeld ? '' : failure(check, found)
      return { operation, name: check, times, outcome: isHeld ? 'held' : 'failure', told }
    }),
    ...notChecked.map(({ operation, subject, why, kind }): Case => {
      const told = `<skipped${attributesOf({ type: kind, message: why })}/>`
      return { operation, name: subject, times: 0, outcome: 'skipped', told }
    })
  ]
}

function suite({ url, startedAt, durations }: VerifyResult, operation: string, cases: Case[], id: number): string {
  const count = (outcome: Case['outcome']) => cases.filter((it) => it.outcome === outcome).length
  const time = durations[operation] ?? 0
  const all = cases.reduce((sum, it) => sum + it.times, 0)
  const attributes = {
    id,
    name: operation,
    package: 'knowledge-chat-mock.verify',
    timestamp: startedAt.slice(0, 19),
    hostname: hostname() || 'localhost',
    tests: cases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: seconds(time)
  }
  return [
    `<testsuite${attributesOf(attributes)}>`,
    `<properties><property name="url" value="${xml(url)}"/></properties>`,
    ...cases.map((it) => testCase(it, all === 0 ? 0 : (time * it.times) / all)),
    '<system-out/>',
    '<system-err/>',
    '</testsuite>'
  ].join('\n')
}

function testCase({ operation, name, told }: Case, time: number): string {
  const start = `<testcase${attributesOf({ classname: operation, name, time: seconds(time) })}`
  return told === '' ? `${start}/>` : `${start}>${told}</testcase>`
}

/** A case can have only one failure, so all findings of a check are in it. */
function failure(check: keyof typeof checks, found: Finding[]): string {
  const texts = found.map(({ title, expected, got, sequence, more }) => {
    const also = more > 0 ? `\nand ${more} more` : ''
    return `${title}\nexpected ${expected}\ngot ${got}\n${sequence.join('\n')}${also}`
  })
  const message = found.map(({ title, expected }) => `${title}: expected ${expected}`).join('\n')
  return `<failure${attributesOf({ message, type: check })}>${xml([checks[check], ...texts].join('\n\n'))}</failure>`
}

/** The attributes of an element, each after a space. */
export function attributesOf(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${xml(String(value))}"`)
    .join('')
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3)
}

/** XML 1.0 allows no control characters except tabs and line ends, and no lone surrogates. */
export function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}
