import { type Change, type Level, levels } from './change.js'

/** The two compared sides, as they were given. */
export interface Comparison {
  old: string
  new: string
  changes: Change[]
}

export const formats = ['text', 'json', 'markdown', 'github'] as const
export type Format = (typeof formats)[number]

/** The changes as text that ends with a line break. Empty only if there is nothing to annotate. */
export function reportOf(compared: Comparison, format: Format): string {
  switch (format) {
    case 'text':
      return text(compared)
    case 'json':
      return `${JSON.stringify({ ...compared, ...countsOf(compared.changes) }, null, 2)}\n`
    case 'markdown':
      return markdown(compared)
    case 'github':
      return annotations(compared)
  }
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

/** Changes by level, and by operation within a level. */
function groupsOf(changes: Change[]): { level: Level; operation: string; changes: Change[] }[] {
  return levels.flatMap((level) => {
    const byOperation = new Map<string, Change[]>()
    for (const change of changes.filter((it) => it.level === level)) {
      byOperation.set(change.operation, [...(byOperation.get(change.operation) ?? []), change])
    }
    return [...byOperation].map(([operation, its]) => ({ level, operation, changes: its }))
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
function line({ id, place, was, is }: Change): string {
  const values = [was !== undefined && `was ${was}`, is !== undefined && `is ${is}`]
  const words = [place, ...values].filter(Boolean).join(', ')
  return words ? `${id}: ${words}` : id
}

function markdown(compared: Comparison): string {
  const rows = groupsOf(compared.changes).flatMap(({ level, operation, changes }) =>
    changes.map(({ id, place, was = '', is = '' }) => {
      const cells = [
        level === 'breaking' ? '**breaking**' : level,
        `\`${id}\``,
        code(operation),
        code(place),
        code(was),
        code(is)
      ]
      return `| ${cells.join(' | ')} |\n`
    })
  )
  const head = '| level | change | operation | place | was | is |\n|---|---|---|---|---|---|\n'
  return `${escaped(summary(compared))}\n${rows.length > 0 ? `\n${head}${rows.join('')}` : ''}`
}

function code(value: string): string {
  return value && `<code>${escaped(value)}</code>`
}

/** Text that cannot end a table's cell and is not read as markup. */
function escaped(value: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '|': '&#124;',
    '*': '&#42;',
    _: '&#95;'
  }
  return value.replace(/[&<>|*_]/g, (it) => entities[it] as string).replace(/\s+/g, ' ')
}

/** GitHub shows ten annotations per level: one per operation, and the last one counts the rest. */
const annotationsPerLevel = 10
const commands: Record<Level, string> = { breaking: 'error', warning: 'warning', info: 'notice' }

function annotations(compared: Comparison): string {
  const groups = groupsOf(compared.changes)
  const lines = levels.flatMap((level) => {
    const all = groups.filter((group) => group.level === level)
    const shown = all.length > annotationsPerLevel ? all.slice(0, annotationsPerLevel - 1) : all
    const rest = all.slice(shown.length).map(({ operation, changes }) => `${operation}: ${changes.length}`)
    const told = shown.map(({ operation, changes }) => annotation(level, operation, changes.map(line)))
    return rest.length > 0 ? [...told, annotation(level, `${rest.length} more operations`, rest)] : told
  })
  return [...lines, `${summary(compared)}\n`].join('')
}

function annotation(level: Level, title: string, lines: string[]): string {
  const data = (value: string) => value.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A')
  const property = data(title).replace(/:/g, '%3A').replace(/,/g, '%2C')
  return `::${commands[level]} title=${property}::${data(lines.join('\n'))}\n`
}
