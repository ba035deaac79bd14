import { appendFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../../engine/keep/make-folder.js'
import type { VerifyResult } from '../verify.js'
import { annotations, stepSummary } from './github.js'
import { html } from './html.js'
import { junit } from './junit.js'
import type { SandboxOwners } from './place.js'
import { sarif } from './sarif.js'

const writers = { junit, sarif, ndjson, html }
type Form = keyof typeof writers

/** The targets of reports: a file per format, and GitHub. */
export interface Reports {
  files: { form: Form; file: string }[]
  github: boolean
}

/** Reads `junit=<file>,sarif=<file>,github`. Throws an Error that lists the formats. */
export function reportsOf(texts: readonly string[]): Reports {
  const reports: Reports = { files: [], github: false }
  for (const text of texts.flatMap((it) => it.split(','))) {
    const [form = '', file] = text.split(/=(.*)/s)
    if (form === 'github' && file === undefined) reports.github = true
    else if (Object.hasOwn(writers, form) && file) reports.files.push({ form: form as Form, file })
    else throw new Error(`report is "${text}": give ${Object.keys(writers).join('=<file>, ')}=<file>, or github.`)
  }
  return reports
}

/** Writes the reports and creates their folders. GitHub names the file of the step summary. */
export function writeReports(
  result: VerifyResult,
  { files, github }: Reports,
  places: SandboxOwners,
  summary: string | undefined
): void {
  for (const { form, file } of files) {
    makeFolder(dirname(file))
    writeFileSync(file, writers[form](result, places))
  }
  if (!github) return
  process.stdout.write(annotations(result, places))
  if (summary) appendFileSync(summary, stepSummary(result))
}

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
