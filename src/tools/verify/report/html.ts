import { isChoice, type LedgerEntry, readLedger } from '../../../engine/contract/ledger.js'
import { groupBy } from '../../texts.js'
import { type Answer, type CheckResult, checks, type Finding, sentAgain, sentenceOf } from '../results.js'
import type { VerifyResult } from '../verify.js'

/** One page without scripts and external files, for light and dark mode. */
export function html(result: VerifyResult): string {
  const { url, findings, checks: entries, answers, notChecked, operations, exitCode, startedAt, problem } = result
  const verdict = ['All checks held', 'The contract is broken', 'The run shows nothing'][exitCode] as string
  const again = sentAgain(result.resent)
  const sum = entries.reduce((total, it) => total + it.times, 0)
  const sections: [id: string, title: string, body: string][] = [
    ['findings', 'Findings', findings.map(findingOf).join('')],
    ['learned', 'What this service chose', answers.length === 0 ? '' : learned(result)],
    ['operations', 'Operations', entries.length === 0 ? '' : operationsOf(result)],
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
<p><code>${text(url)}</code> <span class="soft">${text(startedAt.slice(0, 19).replace('T', ' '))} UTC</span></p>${again ? `\n<p>${text(again)}</p>` : ''}
<dl>
${figure('operations', operations)}${figure('checks', entries.length)}${figure('times checked', sum)}${figure('findings', findings.length)}${figure('points learned', answers.length)}${figure('not checked', notChecked.length)}
</dl>
<nav aria-label="Sections">${filled.map(([id, title]) => `<a href="#${id}">${title}</a>`).join(' ')}</nav>
</header>
<main>
${filled.map(([id, title, body]) => `<section id="${id}" class="${id}"><h2>${title}</h2>${body}</section>`).join('\n')}
</main>
</body>
</html>
`
}

function findingOf(finding: Finding): string {
  const { operation, check, title, expected, got, sequence, more } = finding
  return `<details class="finding" open><summary><code>${text(operation)}</code> <b>${text(check)}</b> ${text(title)}</summary>
<p>${text(sentenceOf(finding))}</p>
<dl><dt>expected</dt><dd>${text(expected)}</dd><dt>got</dt><dd><code>${text(got)}</code></dd></dl>
<p>${sequence.length > 1 ? 'These requests, in this order:' : 'This request:'}</p>
<pre>${text(sequence.join('\n'))}</pre>
${more > 0 ? `<p>And ${more} more like it.</p>` : ''}</details>
`
}

function operationsOf({ checks: entries, durations }: VerifyResult): string {
  const rows = groupBy(entries, (it) => it.operation).map(([operation, results]) => [
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

/** The server's choices, in words, next to the mock's choices and with the request that showed them. */
function learned({ answers, ledger = readLedger() }: VerifyResult): string {
  const entryOf = (id: string) => ledger.find((it) => it.id === id)
  const others = answers.filter(({ id, choice }) => entryOf(id)?.default !== choice)
  const same = answers.filter((it) => !others.includes(it))
  const answerRow = (it: Answer) => rowOf(it, entryOf(it.id))
  const heads = ['Question', 'This service', 'The mock', 'Shown by']
  const part = (caption: string, some: Answer[]) =>
    some.length === 0 ? '' : table(`${caption}: ${some.length}`, heads, some.map(answerRow))
  const unseen = ledger.filter(({ id, fixed }) => !fixed && !answers.some((it) => it.id === id))
  return [
    '<p>The description leaves these points open, so none of them is a fault.</p>',
    part('In another way than the mock', others),
    part('As the mock', same),
    unseen.length === 0 ? '' : notShown(unseen)
  ].join('\n')
}

function rowOf({ id, choice, evidence, curl }: Answer, entry: LedgerEntry | undefined): string[] {
  const isSame = entry?.default === choice
  const mock = entry
    ? `${isSame ? 'The same.' : said(entry, entry.default)}<p class="soft">${text(entry.reason)}</p>`
    : ''
  const request = curl === undefined ? '' : `<details><summary>The request</summary><pre>${text(curl)}</pre></details>`
  return [
    `${entry ? text(entry.question) : 'Not in the ledger'}<p class="soft"><code>${text(id)}</code>${entry ? `<br>Left open in ${text(entry.place.join(', '))}` : ''}</p>`,
    entry ? said(entry, choice) : `<code>${text(choice)}</code>`,
    mock || 'It has no such choice.',
    `${text(evidence)}${request}`
  ]
}

function said(entry: LedgerEntry, choice: string): string {
  const [, words] =
    Object.entries(entry.choices).find(([name]) => isChoice({ ...entry, choices: { [name]: '' } }, choice)) ?? []
  return `<code>${text(choice)}</code>${words === undefined || words === choice ? '' : `<p>${text(words)}</p>`}`
}

function notShown(entries: LedgerEntry[]): string {
  const items = entries.map(({ id, question }) => `<li>${text(question)} <code class="soft">${text(id)}</code></li>`)
  return `<details class="plain"><summary>Not shown by this run: ${entries.length}</summary><ul>${items.join('\n')}</ul></details>`
}

function text(value: string): string {
  return (
    value
      .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what cannot be shown is replaced
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff]/gu, '\ufffd')
  )
}

/** Cells are HTML. The first cell of a row is its header. */
function table(caption: string, heads: string[], rows: string[][]): string {
  const head = heads.map((it) => `<th scope="col">${it}</th>`).join('')
  const body = rows.map(([first, ...rest]) => {
    const cells = rest.map((it, index) => `<td data-head="${heads[index + 1]}">${it}</td>`)
    return `<tr><th scope="row">${first}</th>${cells.join('')}</tr>`
  })
  return `<table><caption>${caption}</caption><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table>`
}

/** The style of the HTML report, for light and dark mode, narrow and wide screens, and paper. */
export const style = `
:root { --ink: #1c2024; --soft: #56606b; --paper: #fff; --tint: #f3f5f7; --line: #dde2e7; --good: #14713d; --bad: #b3261e; --link: #0b5cad }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --soft: #a3adb8; --paper: #14171a; --tint: #1e2328; --line: #323a42; --good: #5fcf8f; --bad: #ff8a80; --link: #8ec5ff }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 80rem; padding: 2rem 1.25rem 4rem; color: var(--ink); background: var(--paper); font: 15px/1.55 system-ui, sans-serif }
header { border-left: .4rem solid var(--good); padding-left: 1.25rem }
header.broken { border-color: var(--bad) }
h1 { margin: 0; font-size: 1.9rem; letter-spacing: -.02em } h2 { margin: 3rem 0 .75rem; font-size: 1.3rem } p { margin: .35rem 0 }
nav { margin-top: 1rem; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem } a { color: var(--link) }
dl { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin: 1rem 0 0 }
dt { color: var(--soft); font-size: .85rem } dd { margin: 0; font-size: 1.4rem; font-variant-numeric: tabular-nums }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem }
caption { padding: .4rem 0; text-align: left; font-weight: 600 }
th, td { padding: .6rem 1.25rem .6rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere }
thead th { color: var(--soft); font-size: .85rem; font-weight: 500; white-space: nowrap } tbody th { font-weight: 500 }
.learned table { table-layout: fixed } .learned th:first-child { width: 28% }
.soft { color: var(--soft); font-size: .875rem; font-weight: 400 }
code, pre { font: .875em/1.5 ui-monospace, monospace }
pre { margin: .5rem 0 0; padding: .9rem; border-radius: .4rem; background: var(--tint); white-space: pre-wrap; overflow-wrap: anywhere }
summary { cursor: pointer } td summary { color: var(--link) } li { margin: .25rem 0 }
details.finding { margin: 0 0 1rem; padding: .75rem 1rem; border: 1px solid var(--line); border-left: .3rem solid var(--bad); border-radius: .4rem }
.finding dl { display: grid; grid-template-columns: max-content 1fr; gap: .4rem 1.25rem } .finding dd { font-size: 1rem; overflow-wrap: anywhere }
span.held, span.broken { display: inline-block; margin: 0 .25rem .25rem 0; padding: .05rem .5rem; border-radius: 1rem; background: var(--tint) }
span.held { color: var(--good) } span.broken { color: var(--bad); font-weight: 600 } small { color: var(--soft); font-weight: 400 }
@media (max-width: 48rem) {
  .learned thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  .learned :is(table, caption, tbody, tr, th, td) { display: block; width: auto } .learned tbody th:first-child { width: auto }
  .learned :is(th, td) { border: 0; padding: .3rem 0 } .learned tbody tr { padding: .75rem 0; border-bottom: 1px solid var(--line) }
  .learned td::before { content: attr(data-head); display: block; color: var(--soft); font-size: .85rem }
}
@media print { body { max-width: none; padding: 0 } tr, details { break-inside: avoid } }
`
