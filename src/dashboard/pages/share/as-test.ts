import type { JournalDetail, Scenario } from '../../../engine/contract/types.gen.js'
import { bodyExpression, literal } from '../outgoing/literal.js'
import { headersOf, outgoingOf } from '../outgoing/outgoing.js'
import type { ExpectedAnswer } from './expected.js'

export const runners = ['Jest', 'Vitest', 'Playwright'] as const
type Runner = (typeof runners)[number]
export const modules = ['ESM', 'CommonJS'] as const
type Modules = (typeof modules)[number]

/** A test of one exchange that passed when it was run. */
export interface TriedTest {
  scenario: Scenario
  expected: ExpectedAnswer
  /** The form that is sent, with its files. */
  form: Record<string, unknown> | undefined
}

/** The runner and form of a test. */
export interface Style {
  runner: Runner
  modules: Modules
  /** The user's own documents that the mock has. */
  documents?: readonly string[]
}

/** Why there is no such test. */
export function whyNot({ runner, modules }: Style): string | undefined {
  return runner === 'Vitest' && modules === 'CommonJS'
    ? 'Vitest cannot be required: it takes ES modules only.'
    : undefined
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
  const asked = [`fetch(mock.url + ${literal(url)}, {`, `    ${options.join(',\n    ')}`, '  })'].join('\n')
  const body = 'body' in expected ? withoutHidden(literal(expected.body, 1)) : undefined
  const lines =
    status === 0
      ? [`await expect(${asked}).rejects.toThrow()`]
      : [
          `const response = await ${asked}`,
          `expect(response.status).toBe(${status})`,
          ...(body === undefined ? [] : [`expect(await response.json()).toEqual(${body})`]),
          ...(expected.text === undefined ? [] : [`expect(await response.text()).toBe(${literal(expected.text)})`])
        ]
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

function file(
  scenario: Scenario,
  { runner, modules, documents = [] }: Style,
  title: string,
  lines: readonly string[]
): string {
  const test = runner === 'Playwright' ? 'test.' : ''
  const names = runner === 'Vitest' ? 'afterAll, beforeAll, expect, test' : 'expect, test'
  const source = { Jest: undefined, Vitest: 'vitest', Playwright: '@playwright/test' }[runner]
  const take = (what: string, from: string) =>
    modules === 'ESM' ? `import { ${what} } from '${from}'` : `const { ${what} } = require('${from}')`
  return [
    take('startMock', 'knowledge-chat-mock'),
    ...(source === undefined ? [] : [take(names, source)]),
    '',
    '// Leads to the state that was found.',
    `const scenario = ${literal(scenario)}`,
    '',
    'let mock',
    `${test}beforeAll(async () => {`,
    ...(documents.length === 0
      ? ['  mock = await startMock({ port: 0 })']
      : [
          '  // Give the paths of your documents.',
          `  mock = await startMock({ port: 0, with: [${documents.map((it) => literal(it)).join(', ')}] })`
        ]),
    '})',
    `${test}afterAll(() => mock?.close())`,
    '',
    `test(${literal(title)}, async () => {`,
    ...lines.map((line) => `  ${line}`),
    '})',
    ''
  ].join('\n')
}

/** The lines that create a form with its files. */
function formOf(form: Record<string, unknown> | undefined): string[] {
  if (!form) return []
  const lines = Object.entries(form).flatMap(([name, value]) =>
    [value].flat().map((item) => {
      const file = (item as { 'x-file'?: Record<string, string | number> } | null)?.['x-file']
      if (!file) return `form.append(${literal(name)}, ${literal(String(item))})`
      const content =
        file.text !== undefined
          ? literal(file.text)
          : file.base64 !== undefined
            ? `Buffer.from(${literal(file.base64)}, 'base64')`
            : `new Uint8Array(${file.size})`
      return `form.append(${literal(name)}, new Blob([${content}], { type: ${literal(file.type)} }), ${literal(file.name)})`
    })
  )
  return ['const form = new FormData()', ...lines]
}
