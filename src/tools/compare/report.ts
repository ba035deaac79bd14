import { annotation, fitting, groupBy } from '../texts.js'
import { type Change, type Level, levels } from './change.js'

interface Comparison {
  old: string
  new: string
  changes: Change[]
}

/** The changes as text that ends with a line break, by format. Empty only if there is nothing to annotate. */
export const reports = {
  text,
  json: (compared: Comparison) => `${JSON.stringify({ ...compared, ...countsOf(compared.changes) }, null, 2)}\n`,
  markdown,
  github
}

function countsOf(changes: Change[]): Record<Level, number> {
  const count = (level: Level) => changes.filter((change) => change.level === level).length
  return { breaking: count('breaking'), warning: count('warning'), info: count('info') }
}

function summary({ old, new: now, changes }: Comparison): string {
  const { breaking, warning, info } = countsOf(changes)
  if (changes.length === 0) return `No changes from ${old} to ${now}.`
  return `From ${old} to ${now}: ${breaking} breaking, ${warning} warning, ${info} info.`
}

function groupsOf(changes: Change[]): { level: Level; operation: string; changes: Change[] }[] {
  return levels.flatMap((level) => {
    const ofLevel = changes.filter((it) => it.level === level)
    return groupBy(ofLevel, (it) => it.operation).map(([operation, its]) => ({ level, operation, changes: its }))
  })
}

function text(compared: Comparison): string {
  const lines = groupsOf(compared.changes).map(
    ({ level, operation, changes }) =>
      `${level.toUpperCase()} ${operation}\n${changes.map((change) => `  ${line(change)}\n`).join('')}`
  )
  return [...lines, `${summary(compared)}\n`].join('\n')
}

/** `request-body-became-required: request body, was x, is y`. */
export function line({ id, place, was, is }: Change): string {
  const values = [was !== undefined && `was ${was}`, is !== undefined && `is ${is}`]
  const words = [place, ...values].filter(Boolean).join(', ')
  return words ? `${id}: ${words}` : id
}

function markdown(compared: Comparison): string {
  const rows = groupsOf(compared.changes).flatMap(({ level, operation, changes }) =>
    changes.map(({ id, place, was = '', is = '' }) => {
      const cells = [operation, place, was, is].map((it) => it && `<code>${escaped(it)}</code>`)
      return `| ${[level === 'breaking' ? '**breaking**' : level, `\`${id}\``, ...cells].join(' | ')} |\n`
    })
  )
  const head = '| level | change | operation | place | was | is |\n|---|---|---|---|---|---|\n'
  return `${escaped(summary(compared))}\n${rows.length > 0 ? `\n${head}${rows.join('')}` : ''}`
}

/** Text that cannot end a table's cell and is not read as markup. */
function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
  return text
    .replace(/[&<>|*_]/g, (character) => entities[character] ?? `&#${character.charCodeAt(0)};`)
    .replace(/\s+/g, ' ')
}

const commands: Record<Level, string> = { breaking: 'error', warning: 'warning', info: 'notice' }

/** An annotation per operation. */
function github(compared: Comparison): string {
  const groups = groupsOf(compared.changes)
  const lines = levels.flatMap((level) => {
    const [shown, rest] = fitting(groups.filter((group) => group.level === level))
    const annotated = (title: string, texts: string[]) => annotation(commands[level], { title }, texts.join('\n'))
    const texts = rest.map(({ operation, changes }) => `${operation}: ${changes.length}`)
    return [
      ...shown.map(({ operation, changes }) => annotated(operation, changes.map(line))),
      ...(rest.length > 0 ? [annotated(`${rest.length} more operations`, texts)] : [])
    ]
  })
  return [...lines, `${summary(compared)}\n`].join('')
}
