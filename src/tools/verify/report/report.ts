import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { defaultChoices, readLedger } from '../../../engine/contract/ledger.js'
import { makeFolder } from '../../../engine/keep/make-folder.js'
import { annotation, attributesOf, count, fitting, groupBy, xml } from '../../texts.js'
import { changeText } from '../drift.js'
import { leftBehind } from '../made.js'
import { type Check, checks, type Finding, sentAgain, sentenceOf } from '../results.js'
import type { VerifyResult } from '../verify.js'
import { html } from './html.js'
import { fingerprint, type PlaceOf } from './place.js'

/** The archive of a run that could not start. */
const noCalls = { log: { version: '1.2', creator: { name: 'knowledge-chat-mock verify', version: '' }, entries: [] } }

const writers = {
  junit,
  sarif,
  ndjson,
  html,
  har: ({ har = noCalls }: VerifyResult) => `${JSON.stringify(har, null, 2)}\n`
}
type Form = keyof typeof writers

/** The targets of reports: a file per format, and GitHub. */
export type Reports = ReturnType<typeof reportsOf>

/** The operations with findings in an ndjson report. Throws an Error if it cannot be read, or has none. */
export function failedIn(file: string): string[] {
  let lines: { type?: string; operation?: string; also?: string[] }[]
  try {
    lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  } catch (error) {
    throw new Error(`only-failed is "${file}", which is not an ndjson report: ${(error as Error).message}.`)
  }
  const failed = lines.flatMap(({ type, operation = '', also = [] }) =>
    type === 'finding' ? [operation, ...also] : []
  )
  if (failed.length === 0) throw new Error(`only-failed is "${file}", which has no finding: nothing failed.`)
  return [...new Set(failed)]
}

/** Reads `junit=<file>,sarif=<file>,github`. Throws an Error that lists the formats. */
export function reportsOf(texts: readonly string[]) {
  const reports = { files: [] as { form: Form; file: string }[], github: false }
  for (const text of texts.flatMap((it) => it.split(','))) {
    const [form = '', file] = text.split(/=(.*)/s)
    if (form === 'github' && file === undefined) reports.github = true
    else if (Object.hasOwn(writers, form) && file) reports.files.push({ form: form as Form, file })
    else throw new Error(`report is "${text}": give ${Object.keys(writers).join('=<file>, ')}=<file>, or github.`)
  }
  return reports
}

/** Writes the reports and creates their folders. GitHub names the file of the step summary. */
export function writeReports(result: VerifyResult, reports: Reports, places: PlaceOf, summary?: string): void {
  for (const { form, file } of reports.files) {
    makeFolder(dirname(file))
    writeFileSync(file, writers[form](result, places))
  }
  if (!reports.github) return
  process.stdout.write(annotations(result, places))
  if (summary) appendFileSync(summary, stepSummary(result))
}

/** A line of JSON per check, finding, answer and unchecked item. The last line is a summary. */
export function ndjson(result: VerifyResult): string {
  const { url, checks: entries, findings, answers, notChecked, changes = [] } = result
  const { operations, exitCode, problem, resent } = result
  const lines = [
    ...entries.map((it) => ({ type: 'check', ...it })),
    ...findings.map((it) => ({ type: 'finding', ...it })),
    ...answers.map((it) => ({ type: 'answer', ...it })),
    ...changes.map((it) => ({ type: 'change', ...it })),
    ...notChecked.map((it) => ({ type: 'not-checked', ...it })),
    { type: 'summary', url, operations, checks: entries.length, findings: findings.length, exitCode, problem, resent }
  ]
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** The report for a terminal or a build log. */
export function text(result: VerifyResult): string {
  const { url, findings, checks: entries, answers, notChecked, operations, problem } = result
  const impossible = notChecked.filter((it) => it.kind === 'impossible')
  const leftOut = notChecked.filter((it) => it.kind === 'left-out')
  const times = entries.reduce((sum, it) => sum + it.times, 0)
  const differing = answers.filter((it) => it.differs).map((it) => `  ${it.id}=${it.choice}  (${it.evidence})\n`)
  // Each reason once, with its operations.
  const reasons = groupBy(impossible, (it) => it.why).map(([why, group]) => {
    return `  ${[...new Set(group.map((it) => it.operation))].join(', ')}: ${why}\n`
  })
  const sentences = groupBy(leftOut, (it) => it.why).map(([why]) => `${why[0]?.toUpperCase()}${why.slice(1)}.`)
  const withheld = Object.entries(result.withheld).map(([operation, calls]) => {
    const shown = [...new Set(calls)].slice(0, 3).map((line) => `\n    ${line}`)
    return `  ${operation}  ${count(calls.length, 'call')}${shown.join('')}\n`
  })
  const leftovers = leftBehind(result.made)
  const again = sentAgain(result.resent)
  const changes = changesOf(result).map((it) => `  ${it}\n`)
  const counted = [
    `${count(operations, 'operation')}, ${count(entries.length, 'check')} made ${count(times, 'time')}`,
    `${count(findings.length, 'finding')}, ${count(answers.length, 'answer')}, ${impossible.length} not checked`
  ]
  const parts = [
    ...findings.map(findingText),
    reasons.length > 0 && `could not check\n${reasons.join('')}`,
    leftOut.length > 0 && `left out: ${count(leftOut.length, 'subject')}. ${sentences.join(' ')}\n`,
    withheld.length > 0 && `would be written, and more after that\n${withheld.join('')}`,
    leftovers !== '' && `left behind: ${leftovers}. --made <file> lists them\n`,
    again && `${again}\n`,
    changes.length > 0 && `changed since earlier runs\n${changes.join('')}`,
    differing.length > 0 && `this server\n${differing.join('')}`,
    command(result),
    `${url}: ${counted.join(', ')}`,
    problem !== undefined && `could not run: ${problem}`
  ]
  return `${parts.filter(Boolean).join('\n')}\n`
}

const changesOf = ({ changes = [], startedAt }: VerifyResult) => changes.map((it) => changeText(it, startedAt))

function findingText(finding: Finding): string {
  const { operation, check, title, expected, got, sequence, more } = finding
  const lines = [
    `✗ ${operation}  ${check}  ${title}`,
    `  ${sentenceOf(finding)}`,
    `  expected  ${expected}`,
    `  got       ${got}`,
    ...sequence.map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more like it`] : [])
  ]
  return `${lines.join('\n')}\n`
}

/** The command that starts the mock with the server's choices. Unknown ones stay as documented. */
function command({ assume, ledger }: VerifyResult): string | undefined {
  const documented = defaultChoices(ledger ?? readLedger())
  const other = Object.entries(assume).filter(([id, choice]) => documented[id] !== choice)
  if (other.length === 0) return undefined
  return `the mock like this server\n  npx knowledge-chat-mock ${ledger ? '--api <document> ' : ''}${other.map(([id, choice]) => `--assume ${id}=${choice}`).join(' ')}\n`
}

/** SARIF 2.1.0: a rule per check. What could not be checked is a notification of the invocation. Results are located at the operation, and at its line in the user's description. */
export function sarif(result: VerifyResult, placeOf: PlaceOf): string {
  const { findings, notChecked, problem } = result
  const again = sentAgain(result.resent)
  const rules = Object.keys(checks) as Check[]
  const results = findings.map((finding) => {
    const { operation, check, title, expected, got, sequence, more } = finding
    const { request, file, line } = placeOf(operation)
    const logicalLocations = [{ name: operation, fullyQualifiedName: request, kind: 'member' }]
    const physicalLocation = { artifactLocation: { uri: encodeURI(file ?? '') }, region: { startLine: line } }
    const also = more > 0 ? `, and ${more} more alike` : ''
    const text = `${sentenceOf(finding)}\n${operation}, ${title}: expected ${expected}; got ${got}${also}\n${sequence.join('\n')}`
    return {
      ruleId: check,
      ruleIndex: rules.indexOf(check),
      level: 'error',
      message: { text },
      locations: [{ ...(file !== undefined && { physicalLocation }), logicalLocations }],
      partialFingerprints: { 'operationCheck/v1': fingerprint(finding) }
    }
  })
  const notes = notChecked.map((it) => `${it.operation}, ${it.subject}: not checked, because ${it.why}`)
  const toolExecutionNotifications = [
    ...(problem === undefined ? [] : [{ level: 'error', message: { text: problem } }]),
    ...[...(again ? [again] : []), ...notes].map((text) => ({ level: 'note', message: { text } }))
  ]
  const invocations = [{ executionSuccessful: problem === undefined, toolExecutionNotifications }]
  const described = rules.map((id) => ({ id, shortDescription: { text: checks[id] } }))
  const tool = { driver: { name: 'knowledge-chat-mock', rules: described } }
  const $schema = 'https://json.schemastore.org/sarif-2.1.0.json'
  return `${JSON.stringify({ $schema, version: '2.1.0', runs: [{ tool, invocations, results }] }, null, 2)}\n`
}

/** Workflow commands: an annotation per operation and check. */
export function annotations({ findings, problem }: VerifyResult, placeOf: PlaceOf): string {
  const [shown, rest] = fitting(groupBy(findings, ({ operation, check }) => `${operation}: ${check}`))
  const lines = shown.map(([title, group]) => {
    const [first] = group as [Finding]
    const { file, line } = placeOf(first.operation)
    const others = group.length - 1 + group.reduce((sum, it) => sum + it.more, 0)
    const also = others > 0 ? `\nand ${others} more` : ''
    const text = `${first.title}: expected ${first.expected}\ngot ${first.got}\n${first.curl}${also}`
    return annotation('error', { ...(file !== undefined && { file, line }), title }, text)
  })
  if (problem !== undefined) lines.unshift(annotation('error', { title: 'verify could not run' }, problem))
  const titles = rest.map(([title]) => title).join('\n')
  if (rest.length > 0) lines.push(annotation('error', { title: `${rest.length} more` }, titles))
  return lines.join('')
}

export function stepSummary(result: VerifyResult): string {
  const { url, checks: entries, findings, answers, notChecked, operations, exitCode, problem } = result
  const again = sentAgain(result.resent)
  const verdict = ['all held', `${findings.length} findings`, 'could not run'][exitCode]
  const differing = answers.filter((answer) => answer.differs)
  const sections = [
    `## verify ${code(url)}`,
    `${operations} operations, ${entries.length} checks: **${verdict}**; ${notChecked.length} not checked.`,
    problem !== undefined && escaped(problem),
    again && `${escaped(again)}.`,
    ...findings.map(
      ({ operation, check, title, expected, got, sequence }) =>
        `<details><summary><code>${escaped(operation)}</code> <code>${check}</code> ${escaped(title)}</summary>\n\n${checks[check]}. Expected ${escaped(expected)}; got\n\n${fenced(got)}\n\n${fenced(sequence.join('\n'), 'sh')}\n\n</details>`
    ),
    ...changesOf(result).map((it) => `Changed since earlier runs: ${escaped(it)}.`),
    differing.length > 0 &&
      `This server decides what the description leaves open in other ways: ${differing.map(({ id, choice }) => code(`${id}=${choice}`)).join(', ')}.`
  ]
  return `${sections.filter(Boolean).join('\n\n')}\n`
}

/** Text that is read as markup neither in HTML nor in Markdown. */
function escaped(text: string): string {
  return text.replace(/[&<>"'`|*_[\]\\\n]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function code(text: string): string {
  return `<code>${escaped(text)}</code>`
}

/** A code block. Its fence is longer than any fence inside. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

type Case = ReturnType<typeof casesOf>[number]

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

function casesOf({ checks: entries, findings, notChecked, problem }: VerifyResult) {
  const run = { operation: 'verify', name: 'the run', times: 0 }
  const error = problem === undefined ? '' : `<error${attributesOf({ type: 'could-not-run', message: problem })}/>`
  return [
    ...(error === '' ? [] : [{ ...run, outcome: 'error' as const, content: error }]),
    ...entries.map(({ operation, check, times, outcome }) => {
      const all = findings.filter((it: Finding) => it.operation === operation || it.also?.includes(operation))
      const own = all.filter((it) => it.check === check)
      const isHeld = outcome === 'held'
      // Its cause may be a finding of another check.
      const content = isHeld ? '' : failure(check, own.length > 0 ? own : all)
      return { operation, name: check, times, outcome: isHeld ? ('held' as const) : ('failure' as const), content }
    }),
    ...notChecked.map(({ operation, subject, why, kind }) => {
      const content = `<skipped${attributesOf({ type: kind, message: why })}/>`
      return { operation, name: subject, times: 0, outcome: 'skipped' as const, content }
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
    ...cases.map(({ name, times, content }) => {
      const own = { classname: operation, name, time: seconds(all === 0 ? 0 : (time * times) / all) }
      return `<testcase${attributesOf(own)}${content === '' ? '/>' : `>${content}</testcase>`}`
    }),
    '<system-out/>',
    '<system-err/>',
    '</testsuite>'
  ].join('\n')
}

/** A case can have only one failure, so all findings of a check are in it. */
function failure(check: keyof typeof checks, findings: Finding[]): string {
  const texts = findings.map(({ title, expected, got, sequence, more }) => {
    return `${title}\nexpected ${expected}\ngot ${got}\n${sequence.join('\n')}${more > 0 ? `\nand ${more} more` : ''}`
  })
  const message = findings.map(({ title, expected }) => `${title}: expected ${expected}`).join('\n')
  return `<failure${attributesOf({ message, type: check })}>${xml([checks[check], ...texts].join('\n\n'))}</failure>`
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3)
}
