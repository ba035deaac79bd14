import { table } from '../report.mjs'

const fields = ['dropped', 'renamed', 'retyped', 'null']

/** The counts as Markdown. */
export function report({ date, node, versions, healthy, control, mutants }) {
  const kinds = [...new Set(mutants.map(({ kind }) => kind))]
  const isField = (kind) => fields.includes(kind)
  const ofFields = mutants.filter(({ kind }) => isField(kind))
  const others = mutants.filter(({ kind }) => !isField(kind))
  const onlyAccepted = mutants.filter(({ replies, accepted }) => replies.length === 0 && accepted.length > 0)
  return `${[
    '# Mutants that are noticed',
    `\`npm run bench:mutants\`, ${date}, Node ${node}. This package ${versions.own}, Prism ${versions.prism}.`,
    'A mutant is this mock with one fault ([`test/verify/mutants`](../verify/mutants)). `verify` tests each with the seed, cases and ' +
      'operations of its own tests and has to catch it by the check that is named for it. All requests that it sends then go ' +
      "through `prism proxy` with our OpenAPI document, to an upstream that gives each the mutant's reply: the traffic is the " +
      'same to the byte, and nothing that Prism does to it can change what is asked next. Prism runs without `--errors`, ' +
      "which answers in the server's place whatever breaks the document, so that no fault behind a broken request would show; " +
      'what it finds is read from `sl-violations`.',
    'Prism notices a mutant when it tells anything of a reply, warnings too, that it does not tell of the same operation and ' +
      'status on the mock as it is. The last column also counts what it tells of a *request*, where only the mutant answered that ' +
      'with success: the report is the same as for a good refusal, so one has to compare it with the status oneself. ' +
      'Some of that is luck: the mutant also accepts what it should refuse.',
    table(
      ['fault', 'mutants', '`verify`', 'Prism', 'Prism, errors alone', 'Prism, with accepted requests'],
      [
        ...kinds.filter(isField).map((kind) => row(`field ${kind === 'null' ? 'is null' : kind}`, mutants, kind)),
        counts('**all faults of fields**', ofFields),
        ...kinds.filter((kind) => !isField(kind)).map((kind) => row(`\`${kind}\``, mutants, kind)),
        counts('**all faults of behaviour**', others),
        counts('**all**', mutants)
      ]
    ),
    'Faults of behaviour are named by the check of `verify` that catches them (`verify --help`). They were made to prove its ' +
      'checks, so that it catches all of them says only that the proof still holds; a proxy that knows a document alone cannot ' +
      'know what was asked before. How `verify` does on a service that shares nothing with this mock is told in ' +
      '[`test/verify/foreign/results.md`](../verify/foreign/results.md).',
    '## On the mock as it is',
    `\`verify --mutating\` on every operation: ${healthy.exchanges} requests. \`verify\` finds ${healthy.found || 'nothing'}. ` +
      `Prism tells of ${healthy.refused} requests that are broken on purpose and refused, which is right, and of these, which are not:`,
    table(
      ['about', 'Prism', 'times', 'for example'],
      healthy.alarms.map(({ about, count, example }) => [about, cell(textOf(example)), count, cell(exampleOf(example))])
    ),
    `A redirect is not sent through Prism (${healthy.redirects} here): it follows it itself. As a control, ${control.runs} more runs of the ` +
      `mock as it is were judged like mutants: \`verify\` caught ${control.verify}, Prism noticed ${control.prism}. ` +
      `Of ${mutants.reduce((sum, { exchanges }) => sum + exchanges, 0)} requests to mutants, Prism's header was too short for what it had ` +
      `to tell for ${mutants.reduce((sum, { cut }) => sum + cut, 0)}.`,
    ...list('Mutants that verify does not catch', namesByKind(mutants.filter(({ isCaught }) => !isCaught))),
    ...list('What Prism notices in accepted requests alone', onlyAccepted.map(acceptedLine)),
    ...list('What Prism does not notice', namesByKind(mutants.filter((mutant) => !isNoticed(mutant))))
  ].join('\n\n')}\n`
}

function row(title, mutants, kind) {
  return counts(
    title,
    mutants.filter((mutant) => mutant.kind === kind)
  )
}

function counts(title, mutants) {
  const of = (isMeant) => mutants.filter(isMeant).length
  return [
    title,
    mutants.length,
    of(({ isCaught }) => isCaught),
    of(({ replies }) => replies.length > 0),
    of(({ replies }) => replies.some(({ severity }) => severity === 'Error')),
    of(isNoticed)
  ]
}

const isNoticed = ({ replies, accepted }) => replies.length + accepted.length > 0

function list(title, lines) {
  return lines.length === 0 ? [] : [`## ${title}`, lines.map((line) => `- ${line}`).join('\n')]
}

function namesByKind(mutants) {
  const kinds = [...new Set(mutants.map(({ kind }) => kind))]
  const namesOf = (kind) => mutants.filter((mutant) => mutant.kind === kind).map(({ name }) => name)
  return kinds.map((kind) => `\`${kind}\`: ${namesOf(kind).join('; ')}`)
}

function acceptedLine({ name, accepted: [first] }) {
  return `${name}: ${cell(`${first.status}, ${textOf(first)}`)}`
}

function textOf({ severity, message }) {
  return `${severity}: ${message}`
}

function exampleOf({ operation, method, path, status }) {
  return `${operation ?? 'no operation'}, ${method} ${path}, ${status}`
}

function cell(text) {
  const line = text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim()
  return line.length > 160 ? `${line.slice(0, 160)}…` : line
}
