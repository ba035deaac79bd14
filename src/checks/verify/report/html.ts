import { checks } from '../checks.js'
import { groupBy } from '../group.js'
import type { CheckResult, Finding } from '../results.js'
import type { VerifyResult } from '../verify.js'
import { learned } from './learned.js'
import { section, table, text } from './markup.js'
import { style } from './style.js'

/** One page without scripts and external files, for light and dark mode. */
export function html(result: VerifyResult): string {
  const { url, findings, checks: made, answers, notChecked, operations, exitCode, startedAt, problem } = result
  const verdict = ['All checks held', 'The contract is broken', 'The run shows nothing'][exitCode] as string
  const sum = made.reduce((total, it) => total + it.times, 0)
  const sections: [id: string, title: string, body: string][] = [
    ['findings', 'Findings', findings.map(findingOf).join('')],
    ['learned', 'What this service chose', answers.length === 0 ? '' : learned(answers)],
    ['operations', 'Operations', made.length === 0 ? '' : operationsOf(result)],
    ['not-checked', 'Not checked', notChecked.length === 0 ? '' : notCheckedOf(result)]
  ]
  const filled = sections.filter(([, , body]) => body !== '')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text(verdict)}: ${text(url)}</title>
<style>${style}</style>
</head>
<body>
<header class="${exitCode === 0 ? 'held' : 'broken'}">
<h1>${text(verdict)}</h1>${problem === undefined ? '' : `\n<p>${text(problem)}</p>`}
<p><code>${text(url)}</code> <span class="soft">${text(startedAt.slice(0, 19).replace('T', ' '))} UTC</span></p>
<dl>
${figure('operations', operations)}${figure('checks', made.length)}${figure('times checked', sum)}${figure('findings', findings.length)}${figure('points learned', answers.length)}${figure('not checked', notChecked.length)}
</dl>
<nav aria-label="Sections">${filled.map(([id, title]) => `<a href="#${id}">${title}</a>`).join(' ')}</nav>
</header>
<main>
${filled.map(([id, title, body]) => section(id, title, body)).join('\n')}
</main>
</body>
</html>
`
}

function findingOf({ operation, check, title, expected, got, sequence, more }: Finding): string {
  return `<details class="finding" open><summary><code>${text(operation)}</code> <b>${text(check)}</b> ${text(title)}</summary>
<p>${text(checks[check])}.</p>
<dl><dt>expected</dt><dd>${text(expected)}</dd><dt>got</dt><dd><code>${text(got)}</code></dd></dl>
<p>${sequence.length > 1 ? 'These requests, in this order:' : 'This request:'}</p>
<pre>${text(sequence.join('\n'))}</pre>
${more > 0 ? `<p>And ${more} more like it.</p>` : ''}</details>
`
}

function operationsOf({ checks: made, durations }: VerifyResult): string {
  const rows = groupBy(made, (it) => it.operation).map(([operation, results]) => [
    `<code>${text(operation)}</code>`,
    results.map(chip).join(' '),
    `${((durations[operation] ?? 0) / 1000).toFixed(2)} s`
  ])
  return table(
    'Checks of each operation, how often each was made, and what its requests took',
    ['Operation', 'Checks', 'Time'],
    rows
  )
}

function chip({ check, outcome, times }: CheckResult): string {
  const mark = outcome === 'held' ? '✓' : '✗'
  return `<span class="${outcome}" title="${text(checks[check])}">${mark} ${text(check)} <small>${times}×</small></span>`
}

function notCheckedOf({ notChecked }: VerifyResult): string {
  const rows = notChecked.map(({ operation, subject, why }) => [
    `<code>${text(operation)}</code>`,
    text(subject),
    text(why)
  ])
  return table('What was left out, and what could not be checked', ['Operation', 'What', 'Why'], rows)
}

function figure(name: string, value: number): string {
  return `<div><dt>${name}</dt><dd>${value}</dd></div>`
}
