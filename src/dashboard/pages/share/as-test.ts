import type { JournalDetail, JournalEntry, Scenario, ScenarioStep } from '../../../engine/contract/types.gen.js'
import { differences, short } from '../json/values.js'
import { bodyExpression, headersOf, literal, outgoingOf } from '../outgoing/outgoing.js'

/** The runners, and the package that each imports from. */
export const runners: Record<string, string | undefined> = {
  Jest: undefined,
  Vitest: 'vitest',
  Playwright: '@playwright/test'
}

interface TriedTest {
  scenario: Scenario
  expected: ExpectedAnswer
  form: Record<string, unknown> | undefined
}

export interface Style {
  runner: string
  /** ESM or CommonJS. */
  modules: string
  documents?: readonly string[]
}

export function fileOf(name: string, { modules, runner }: Style): string {
  const kind = runner === 'Playwright' ? 'spec' : 'test'
  return `${name}.${kind}.${modules === 'ESM' ? 'mjs' : 'cjs'}`
}

/** A test of one exchange: it leads to the state before the request, sends it, and expects the same answer. */
export function testOf(exchange: JournalDetail, { scenario, expected, form }: TriedTest, style: Style): string {
  const { method, url, status, user } = exchange
  const outgoing = outgoingOf(exchange)
  const options = [`method: ${literal(method)}`, `headers: ${literal(headersOf(outgoing, 'default'), 2)}`]
  if (outgoing.body) options.push(`body: ${bodyExpression(outgoing.body, 2)}`)
  const fetchCall = [`fetch(mock.url + ${literal(url)}, {`, `    ${options.join(',\n    ')}`, '  })'].join('\n')
  const body = 'body' in expected ? withoutHidden(literal(expected.body, 1)) : undefined
  const expectations = [
    `const response = await ${fetchCall}`,
    `expect(response.status).toBe(${status})`,
    ...(body === undefined ? [] : [`expect(await response.json()).toEqual(${body})`]),
    ...(expected.text === undefined ? [] : [`expect(await response.text()).toBe(${literal(expected.text)})`])
  ]
  const lines = status === 0 ? [`await expect(${fetchCall}).rejects.toThrow()`] : expectations
  const title = `${method} ${url} as ${user ?? 'nobody'} ${status === 0 ? 'gets no answer' : `is answered with ${status}`}`
  return file(scenario, style, title, ["await mock.sandbox('default').play(scenario)", ...formOf(form), ...lines])
}

/** A test that repeats everything that happened, and expects every answer. */
export function testOfAll({ name = 'what happened', ...scenario }: Scenario, style: Style): string {
  const count = scenario.steps.length
  return file(scenario, style, `${name}: every answer is as it was`, [
    '// Fails at the first step that is answered otherwise, and names it.',
    "const { steps } = await mock.sandbox('default').play(scenario)",
    `expect(steps).toBe(${count})`
  ])
}

/** A value that the journal hides can be anything, unless it is the name of a field. */
function withoutHidden(text: string): string {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"?(:?)/gs, (it, colon) =>
    colon === '' && it.includes('***') ? 'expect.anything()' : it
  )
}

function file(scenario: Scenario, style: Style, title: string, lines: readonly string[]): string {
  const { runner, modules, documents = [] } = style
  const test = runner === 'Playwright' ? 'test.' : ''
  const names = runner === 'Vitest' ? 'afterAll, beforeAll, expect, test' : 'expect, test'
  const source = runners[runner]
  const take = (what: string, from: string) =>
    modules === 'ESM' ? `import { ${what} } from '${from}'` : `const { ${what} } = require('${from}')`
  const paths = documents.map((it) => literal(it)).join(', ')
  const start = paths
    ? `// Give the paths of your documents.\n  mock = await startMock({ port: 0, with: [${paths}] })`
    : ''
  return `${take('startMock', 'knowledge-chat-mock')}
${source === undefined ? '' : `${take(names, source)}\n`}
// Leads to the state that was found.
const scenario = ${literal(scenario)}

let mock
${test}beforeAll(async () => {
  ${start || 'mock = await startMock({ port: 0 })'}
})
${test}afterAll(() => mock?.close())

test(${literal(title)}, async () => {
${lines.map((line) => `  ${line}\n`).join('')}})
`
}

function formOf(form: Record<string, unknown> | undefined): string[] {
  if (!form) return []
  const lines = Object.entries(form).flatMap(([name, value]) =>
    [value].flat().map((item) => {
      const file = (item as { 'x-file'?: Record<string, string | number> } | null)?.['x-file']
      if (!file) return `form.append(${literal(name)}, ${literal(String(item))})`
      const bytes =
        file.base64 === undefined ? `new Uint8Array(${file.size})` : `Buffer.from(${literal(file.base64)}, 'base64')`
      const content = file.text === undefined ? bytes : literal(file.text)
      return `form.append(${literal(name)}, new Blob([${content}], { type: ${literal(file.type)} }), ${literal(file.name)})`
    })
  )
  return ['const form = new FormData()', ...lines]
}

interface ExpectedAnswer {
  status: number
  body?: unknown
  text?: string
}

const longest = 20_000

export function expectedOf({ status, response, method }: JournalDetail): ExpectedAnswer {
  const { body, headers } = response
  const isShort = body !== undefined && JSON.stringify(body).length <= longest
  if (status === 0 || method === 'HEAD' || !isShort) return { status }
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  if (/json/i.test(type)) return { status, body }
  return typeof body === 'string' && !body.includes('***') ? { status, text: body } : { status }
}

/** The first place where an answer is not as expected. Hidden values of the journal may be anything. */
export function differenceFrom(expected: ExpectedAnswer, { status, body }: ExpectedAnswer): string | undefined {
  if (status !== expected.status) return `the status is ${status}, not ${expected.status}`
  if ('text' in expected) return body === expected.text ? undefined : 'the text of the answer is another'
  if (!('body' in expected)) return undefined
  const isHidden = (value: unknown) => typeof value === 'string' && value.includes('***')
  const first = differences(expected.body, body).find(
    ({ before, after }) => !isHidden(before) || (after ?? null) === null
  )
  return first && `${['body', ...first.place].join('.')} is ${short(first.after, 80)}, not ${short(first.before, 80)}`
}

/** The state before a request: a start, and the steps that led to it. */
export interface Moment {
  scenario: Scenario
  /** The request itself, as the capsule has it. Undefined: it is left out there. */
  own: ScenarioStep['call']
}

type Met = Pick<JournalDetail, 'id' | 'time' | 'status' | 'reads' | 'writes' | 'response'>

/** The highest number of rows that an exchange lists as read. */
const mostReads = 50

/**
 * Ways to the state before an exchange, shortest first. All include the calls of the control API, because these have rows. Of
 * the requests, the first way has those that changed a collection that the exchange touched, the next all that changed rows,
 * the last all. Which of them is enough must be tried.
 */
export function waysTo({ start, steps }: Scenario, exchange: Met, entries: readonly JournalEntry[]): Moment[] {
  const { id, time } = exchange
  const own = steps.at(-1)?.note === id ? steps.at(-1) : undefined
  const before = own ? steps.slice(0, -1) : steps
  const changedBy = new Map(entries.map((it) => [it.id, it.changed?.map(({ collection }) => collection)]))
  const touched = touchedBy(exchange)
  const ways = [
    (note: string) => changedBy.get(note)?.some((it) => !touched || touched.has(it)) === true,
    (note: string) => changedBy.get(note) !== undefined,
    () => true
  ]
  const moments = ways.map((isKept) => {
    const isIn = (step: ScenarioStep) => step === own || step.call === undefined || isKept(step.note ?? '')
    const way = timed([...before, own ?? { at: time }], isIn)
    const now = own ? way.pop()?.at : time
    const clock: ScenarioStep[] = now === undefined ? [] : [{ clock: { now, speed: 0 } }]
    const actions = way.filter((step) => Object.keys(step).some((name) => name !== 'at'))
    return {
      scenario: { ...(start && { start }), steps: [...actions.map(withoutExpecting), ...clock] },
      own: own?.call
    }
  })
  // Ways of the same length are the same.
  return moments.filter(({ scenario }, at) => scenario.steps.length !== moments[at - 1]?.scenario.steps.length)
}

/** The collections that an exchange depends on. Undefined: any, because rows that do not exist are not among its reads. */
function touchedBy({ status, reads, writes, response }: Met): Set<string> | undefined {
  const isMissing = status >= 400 || JSON.stringify(response.body ?? null).includes('[]')
  if (isMissing || reads.length === 0 || reads.length >= mostReads) return undefined
  return new Set([...reads, ...writes].map(({ collection }) => collection))
}

/** The kept steps, each with the time that it needs if the one before is left out. */
function timed(steps: readonly ScenarioStep[], isKept: (step: ScenarioStep) => boolean): ScenarioStep[] {
  let at: string | undefined
  return steps.flatMap((step) => {
    at = step.at ?? at
    if (!isKept(step)) return []
    const next = at === undefined ? step : { ...step, at }
    at = undefined
    return [next]
  })
}

/** A step that only leads further: its answer is not expected again, except for a refusal. */
function withoutExpecting({ note: _, ...step }: ScenarioStep): ScenarioStep {
  if (!step.call) return step
  const { expect, ...call } = step.call
  const isRefused = expect?.status !== undefined && (expect.status >= 400 || expect.status === 0)
  return { ...step, call: isRefused ? { ...call, expect: { status: expect.status as number } } : call }
}
