import { checks } from '../checks.js'
import type { CheckResult, Finding } from '../record.js'
import type { VerifyResult } from '../verify.js'
import { groupBy } from './group.js'

/** One page with nothing to load, for light and dark, without a script. */
export function html(result: VerifyResult): string {
  const { url, findings, checks: made, answers, notChecked, operations, exitCode } = result
  const verdict = exitCode === 2 ? 'No check ran' : findings.length === 0 ? 'All checks held' : 'The contract is broken'
  const sum = made.reduce((total, it) => total + it.times, 0)
  const differing = answers.filter((answer) => answer.differs)
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
<header class="${findings.length > 0 ? 'broken' : 'held'}">
<h1>${text(verdict)}</h1>
<p><code>${text(url)}</code></p>
<dl>
${figure('operations', operations)}${figure('checks', made.length)}${figure('times checked', sum)}${figure('findings', findings.length)}${figure('not checked', notChecked.length)}
</dl>
</header>
<main>
${section('Findings', findings.map(findingOf).join(''))}
${section('Operations', table(['operation', 'checks'], groupBy(made, (it) => it.operation).map(rowOf)))}
${section(
  'How this server decides what the description leaves open',
  `<p>${differing.length === 0 ? 'As the run expected.' : `${differing.length} in another way than the run expected, marked.`} None of it is a fault.</p>` +
    table(
      ['assumption', 'this server', 'seen in'],
      answers.map(({ id, choice, differs, evidence }) => [
        `<code>${text(id)}</code>`,
        differs ? `<mark>${text(choice)}</mark>` : text(choice),
        text(evidence)
      ])
    )
)}
${section(
  'Not checked',
  notChecked.length === 0
    ? ''
    : table(
        ['operation', 'what', 'why'],
        notChecked.map(({ operation, subject, why }) => [`<code>${text(operation)}</code>`, text(subject), text(why)])
      )
)}
</main>
</body>
</html>
`
}

function findingOf({ operation, check, title, expected, got, sequence, more }: Finding): string {
  return `<details open><summary><code>${text(operation)}</code> <b>${text(check)}</b> ${text(title)}</summary>
<p>${text(checks[check])}.</p>
<table><tr><th>expected</th><td>${text(expected)}</td></tr><tr><th>got</th><td><code>${text(got)}</code></td></tr></table>
<p>${sequence.length > 1 ? 'These requests, in this order:' : 'This request:'}</p>
<pre>${text(sequence.join('\n'))}</pre>
${more > 0 ? `<p>And ${more} more like it.</p>` : ''}</details>
`
}

function rowOf([operation, results]: [string, CheckResult[]]): string[] {
  const chips = results.map(
    ({ check, outcome, times }) =>
      `<span class="${outcome}" title="${text(checks[check])}">${outcome === 'held' ? '✓' : '✗'} ${text(check)} <small>${times}×</small></span>`
  )
  return [`<code>${text(operation)}</code>`, chips.join(' ')]
}

function section(title: string, body: string): string {
  return body === '' ? '' : `<section><h2>${title}</h2>${body}</section>`
}

function figure(name: string, value: number): string {
  return `<div><dt>${name}</dt><dd>${value}</dd></div>`
}

/** Cells are HTML. */
function table(heads: string[], rows: string[][]): string {
  const head = heads.map((it) => `<th>${it}</th>`).join('')
  return `<table><tr>${head}</tr>${rows.map((row) => `<tr>${row.map((it) => `<td>${it}</td>`).join('')}</tr>`).join('\n')}</table>`
}

function text(value: string): string {
  return (
    value
      .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what cannot be shown is replaced
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff]/gu, '\ufffd')
  )
}

const style = `
:root { --ink: #1c2024; --soft: #5b6570; --paper: #fff; --tint: #f3f5f7; --line: #dde2e7; --good: #14713d; --bad: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --soft: #9aa5b1; --paper: #14171a; --tint: #1e2328; --line: #323a42; --good: #5fcf8f; --bad: #ff8a80 }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 72rem; padding: 2rem 1.25rem 4rem; color: var(--ink); background: var(--paper); font: 15px/1.55 system-ui, sans-serif }
header { border-left: .4rem solid var(--good); padding-left: 1.25rem }
header.broken { border-color: var(--bad) }
h1 { margin: 0; font-size: 1.9rem; letter-spacing: -.02em } h2 { margin: 2.5rem 0 .75rem; font-size: 1.2rem }
dl { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin: 1rem 0 0 }
dt { color: var(--soft); font-size: .85rem } dd { margin: 0; font-size: 1.4rem; font-variant-numeric: tabular-nums }
table { border-collapse: collapse; width: 100% } th, td { padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere }
details th { width: 6rem } th { color: var(--soft); font-weight: 500; white-space: nowrap }
code, pre { font: .875em/1.5 ui-monospace, monospace } pre { overflow-x: auto; padding: .9rem; border-radius: .4rem; background: var(--tint) }
details { margin: 0 0 1rem; padding: .75rem 1rem; border: 1px solid var(--line); border-left: .3rem solid var(--bad); border-radius: .4rem }
summary { cursor: pointer } small { color: var(--soft) } mark { background: none; color: inherit; font-weight: 700; text-decoration: underline }
span.held, span.broken { display: inline-block; margin: 0 .25rem .25rem 0; padding: .05rem .5rem; border-radius: 1rem; background: var(--tint) }
span.held { color: var(--good) } span.broken { color: var(--bad); font-weight: 600 }
`
