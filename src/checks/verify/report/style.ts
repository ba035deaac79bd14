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
