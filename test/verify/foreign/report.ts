import { missed } from './missed.js'
import { bugsByKind } from './switches/bugs/index.js'
import { choicesByKind } from './switches/choices/index.js'
import type { Switches } from './switches/switch.js'

/** What was found, by the id of the switch: checks for a bug, findings for a choice. */
export type Found = Map<string, string[]>

const row = (...cells: (string | number)[]) => `| ${cells.join(' | ')} |`
const cell = (text: string) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ')

function tableOf(
  title: string,
  counted: string,
  kinds: Record<string, Switches>,
  found: Found,
  isRight: (it: string[]) => boolean
) {
  const counts = Object.entries(kinds).map(([kind, switches]): [string, number, number] => {
    const results = Object.keys(switches).map((id) => found.get(id) ?? [])
    return [kind, results.length, results.filter(isRight).length]
  })
  const sum = (place: 1 | 2) => counts.reduce((total, it) => total + it[place], 0)
  return [
    row(title, 'number', counted),
    row('---', '---', '---'),
    ...counts.map((it) => row(...it)),
    row('**all**', sum(1), sum(2))
  ]
}

function listOf(
  kinds: Record<string, Switches>,
  found: Found,
  isRight: (it: string[]) => boolean,
  tell: (id: string) => string
) {
  const wrong = Object.entries(Object.assign({}, ...Object.values(kinds)) as Switches).filter(
    ([id]) => !isRight(found.get(id) ?? [])
  )
  if (wrong.length === 0) return ['None.']
  return wrong.map(([id, { says }]) => `- \`${id}\`: ${says}${tell(id)}`)
}

const isCaught = (checks: string[]) => checks.length > 0
const isSilent = (findings: string[]) => findings.length === 0

/** The result of the proof, as Markdown. */
export function report(caught: Found, alarms: Found): string {
  return [
    '# A service that shares nothing with the mock',
    '',
    '`npm run verify:proof`. The service in this folder is written from the description alone, on Fastify and zod. `verify --mutating` tests it',
    'as it is, where it finds nothing; with each bug alone, where it has to find something; and with each legal choice alone,',
    'where it has to find nothing.',
    '',
    ...tableOf('bugs', 'caught', bugsByKind, caught, isCaught),
    '',
    ...tableOf('legal choices', 'without a finding', choicesByKind, alarms, isSilent),
    '',
    '## Bugs that are missed',
    '',
    ...listOf(bugsByKind, caught, isCaught, (id) => (missed[id] ? ` ${missed[id]}` : '')),
    '',
    '## Choices that are taken for faults',
    '',
    ...listOf(choicesByKind, alarms, isSilent, (id) => ` ${cell((alarms.get(id) ?? []).slice(0, 2).join('; '))}`),
    ''
  ].join('\n')
}
