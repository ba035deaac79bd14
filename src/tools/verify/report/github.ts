import { checks } from '../checks.js'
import { groupBy } from '../group.js'
import type { Finding } from '../results.js'
import type { VerifyResult } from '../verify.js'
import type { SandboxOwners } from './place.js'

/** GitHub shows this many annotations of one level per step. */
const shown = 10

/** Workflow commands: an annotation per operation and check. The last one counts the rest. */
export function annotations({ findings, problem }: VerifyResult, placeOf: SandboxOwners): string {
  const groups = groupBy(findings, ({ operation, check }) => `${operation}: ${check}`)
  const fitting = groups.length > shown ? groups.slice(0, shown - 1) : groups
  const lines = fitting.map(([title, group]) => {
    const [first] = group as [Finding]
    const { file, line } = placeOf(first.operation)
    const at = file === undefined ? '' : `file=${property(file)},line=${line},`
    const others = group.length - 1 + group.reduce((sum, it) => sum + it.more, 0)
    const also = others > 0 ? `\nand ${others} more` : ''
    const text = `${first.title}: expected ${first.expected}\ngot ${first.got}\n${first.curl}${also}`
    return `::error ${at}title=${property(title)}::${data(text)}\n`
  })
  const left = groups.slice(fitting.length).map(([title]) => title)
  if (problem !== undefined) lines.unshift(`::error title=verify could not run::${data(problem)}\n`)
  if (left.length > 0) lines.push(`::error title=${left.length} more::${data(left.join('\n'))}\n`)
  return lines.join('')
}

/** Markdown for the step summary. */
export function stepSummary(result: VerifyResult): string {
  const { url, checks: made, findings, answers, notChecked, operations, exitCode, problem } = result
  const verdict = ['all held', `${findings.length} findings`, 'could not run'][exitCode]
  const differing = answers.filter((answer) => answer.differs)
  const sections = [
    `## verify ${code(url)}`,
    `${operations} operations, ${made.length} checks: **${verdict}**; ${notChecked.length} not checked.`,
    problem !== undefined && html(problem),
    ...findings.map(
      ({ operation, check, title, expected, got, sequence }) =>
        `<details><summary><code>${html(operation)}</code> <code>${check}</code> ${html(title)}</summary>\n\n${checks[check]}. Expected ${html(expected)}; got\n\n${fenced(got)}\n\n${fenced(sequence.join('\n'), 'sh')}\n\n</details>`
    ),
    differing.length > 0 &&
      `This server decides what the description leaves open in other ways: ${differing.map(({ id, choice }) => code(`${id}=${choice}`)).join(', ')}.`
  ]
  return `${sections.filter(Boolean).join('\n\n')}\n`
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

function html(text: string): string {
  return text.replace(/[&<>"'`|*_[\]\\\n]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function code(text: string): string {
  return `<code>${html(text)}</code>`
}

/** A code block. Its fence is longer than any fence inside. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
