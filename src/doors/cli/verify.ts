import { writeFileSync } from 'node:fs'
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { dirname } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { WriteStream } from 'node:tty'
import { Command } from 'commander'
import { type Kind, kinds } from '../../apis/knowledge-chat/scenes/kinds.js'
import { makeFolder } from '../../engine/keep/make-folder.js'
import type { RowIds } from '../../tools/verify/api.js'
import { Unreachable } from '../../tools/verify/calls/patience.js'
import { keepLearned, readLearned } from '../../tools/verify/drift.js'
import type { MadeRow } from '../../tools/verify/made.js'
import { createPlaces, type PlaceOf } from '../../tools/verify/report/place.js'
import { failedIn, type Reports, reportsOf, text as textOf, writeReports } from '../../tools/verify/report/report.js'
import { type CheckResult, checks } from '../../tools/verify/results.js'
import type { VerifyResult } from '../../tools/verify/verify.js'
import { addOptions } from '../options/command-line.js'
import { duration, flag, number, several, text, wholeNumber } from '../options/kinds.js'
import { apiOption, choiceTable, startTable } from '../options/mock-table.js'
import type { Settled, Table } from '../options/option.js'
import { operationsOf, verify } from '../program/handle/verify.js'
import type { WithSource } from '../with/with.js'
import { onSignal } from './serve.js'

/** Milliseconds between updates of the line. */
const interval = 100

/** One line that shows the progress. Only on a terminal, and not in CI. */
function createProgress(stream: WriteStream) {
  const isShown = stream.isTTY && !process.env.CI
  let total = 0
  let broken = 0
  let last = 0
  return {
    tick({ operation, outcome, times }: CheckResult): void {
      total++
      if (outcome === 'broken' && times === 1) broken++
      const now = performance.now()
      if (!isShown || now - last < interval) return
      last = now
      stream.write(`\r\x1b[K${total} checks${broken > 0 ? `, ${broken} broken` : ''}  ${operation}`)
    },
    end(): void {
      if (isShown) stream.write('\r\x1b[K')
    }
  }
}

export const verifyTable = {
  token: { is: text('token'), help: "an administrator's token; for this mock: admin" },
  userToken: {
    is: text('token', { read: (value) => (typeof value === 'string' ? value : undefined) }),
    help: "another user's token, not an administrator's; empty: none; for this mock: basic"
  },
  tokenCommand: { is: text('command'), help: 'prints the token, at the start and after a 401' },
  userTokenCommand: { is: text('command'), help: "prints the other user's token" },
  header: { is: several('name=value'), help: 'sent with every request, also as "name: value"; repeatable' },
  operations: { is: text('globs'), default: '*', help: 'ids or numbers, such as *Credential,E3' },
  onlyFailed: { is: text('file'), help: 'operations that failed in this ndjson report, in place of --operations' },
  mutating: { is: flag, default: false, help: 'also make calls that change something' },
  known: { is: several('kind=id', ','), help: `a row to read; repeatable (${Object.keys(kinds).join(', ')})` },
  disposable: { is: several('kind=id', ','), help: 'a row that may be changed or deleted; repeatable' },
  maxWrites: { is: wholeNumber({ from: 0 }), help: 'most calls that may change something; 0: print the first ones' },
  maxTime: { is: duration({ unit: 'seconds' }), help: 'until no more checks are made; clean-up may take 5s more' },
  failFast: { is: flag, default: false, help: 'make no more checks after the first finding' },
  made: { is: text('file'), help: 'write the rows that the run made, and which are still there, to this JSON file' },
  rows: { is: text('file'), help: 'a module whose `make(kind)` and `remove(kind, id)` make and remove rows' },
  seed: { is: wholeNumber(), default: 1, help: 'seed of the generated requests' },
  cases: { is: wholeNumber(), default: 10, help: 'generated requests per operation; below 10, fewer of all others' },
  timeout: { is: duration({ unit: 'milliseconds', least: 1 }), default: 10_000, help: 'for one request' },
  concurrency: { is: number({ above: 0 }), default: 8, help: 'highest number of connections' },
  report: { is: several('forms'), help: 'junit=<file>,sarif=<file>,ndjson=<file>,html=<file>,har=<file>,github' },
  description: { is: text('file'), help: 'your OpenAPI document or text: SARIF and annotations point at its lines' },
  writeAssumptions: { is: text('file'), help: 'write the choices that make the mock act like the server, as JSON' },
  learned: { is: text('file'), help: 'keep the choices of each run in this JSON file, and report what has changed' },
  ...choiceTable,
  api: { ...apiOption, help: 'the API of the service: an OpenAPI document, or a folder with one' },
  with: startTable.with
} as const satisfies Table

/** `verify <base-url>`: exits with 0 if all checks passed, 1 if one failed, 2 if it could not run or no check ran. */
export function verifyCommand(): Command {
  return addOptions(new Command('verify'), verifyTable)
    .description('test a server of this interface against the contracts')
    .argument('<base-url>', 'such as http://127.0.0.1:4010')
    .addHelpText(
      'after',
      `\nChecks:\n${Object.entries(checks)
        .map(([name, says]) => `  ${name}: ${says}`)
        .join('\n')}`
    )
    .action(async (url: string, options: Settled<typeof verifyTable>) => {
      const {
        report = [],
        description,
        header = [],
        known = [],
        disposable = [],
        userToken,
        onlyFailed,
        ...rest
      } = options
      const { writeAssumptions, learned, made: madeFile, ...settings } = rest
      const onMade = (rows: readonly MadeRow[]) => madeFile && writeJson(madeFile, rows)
      onMade([])
      if (learned !== undefined) readLearned(learned)
      const reports = reportsOf(report)
      const places = createPlaces(
        description ?? fileOf(settings.api),
        process.env.GITHUB_WORKSPACE,
        operationsOf(settings.api)
      )
      const progress = createProgress(process.stderr)
      const interrupt = new AbortController()
      onSignal(() => interrupt.abort())
      const result = await verify({
        ...settings,
        url,
        ...(userToken !== undefined && { userToken: userToken || null }),
        ...(onlyFailed !== undefined && { operations: failedIn(onlyFailed) }),
        har: reports.files.some(({ form }) => form === 'har'),
        headers: headersOf(header),
        known: idsOf('known', known),
        disposable: idsOf('disposable', disposable),
        signal: interrupt.signal,
        onCheck: progress.tick,
        onMade
      })
        .catch((error: Error) => notRun(url, error))
        .finally(() => progress.end())
      if (result.url !== url)
        console.error(`${url} has the base path of the document already, so the base address is ${result.url}.`)
      conclude(result, { writeAssumptions, learned, reports, places })
    })
}

type Outputs = Pick<Settled<typeof verifyTable>, 'writeAssumptions' | 'learned'> & { reports: Reports; places: PlaceOf }

/** Writes the result of a run to its files and stdout. */
export function conclude(run: VerifyResult, { writeAssumptions, learned, reports, places }: Outputs): void {
  const isRun = run.problem === undefined
  const result = isRun && learned !== undefined ? { ...run, changes: keepLearned(learned, run) } : run
  const { problem, ...shown } = result
  process.stdout.write(textOf(shown))
  process.exitCode = result.exitCode
  if (!isRun) console.error(`error: ${problem}`)
  // The choices of such a run must not replace those of another one.
  else if (writeAssumptions !== undefined) writeJson(writeAssumptions, result.assume)
  writeReports(result, reports, places, process.env.GITHUB_STEP_SUMMARY)
}

function writeJson(file: string, value: unknown): void {
  makeFolder(dirname(file))
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}

/** The document of an API, if it is one file. */
const fileOf = (api: WithSource | undefined) => (typeof api === 'string' && /\.\w+$/.test(api) ? api : undefined)

/** The result if no server of the interface answers, so that each report says so. Rethrows any other error. */
function notRun(url: string, error: Error): VerifyResult {
  if (!(error instanceof Unreachable)) throw error
  const lists = { findings: [], checks: [], answers: [], notChecked: [], made: [] }
  const maps = { assume: {}, durations: {}, withheld: {} }
  const startedAt = new Date().toISOString()
  return { url, ...lists, ...maps, operations: 0, startedAt, exitCode: 2, problem: error.message }
}

/** `name=value`, or `name: value` as curl takes it. The value is not shown, because it may be a secret. */
function headersOf(texts: readonly string[]): { [name: string]: string } {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = ''] = text.split(/[=:]/)
      const value = text.slice(name.length + 1).trimStart()
      try {
        if (name === text) throw new Error('it has no value')
        validateHeaderName(name)
        validateHeaderValue(name, value)
      } catch {
        throw new Error(`header "${name}" is wrong: give <name>=<value> or "<name>: <value>", such as X-Tenant=acme.`)
      }
      return [name, value]
    })
  )
}

function idsOf(name: string, texts: readonly string[]): RowIds<Kind> {
  const names = Object.keys(kinds) as Kind[]
  const ids: RowIds<Kind> = {}
  for (const text of texts) {
    const [word, id] = text.split(/=(.*)/s)
    const kind = names.find((it) => it === word)
    if (!kind || !id) throw new Error(`${name} is "${text}": give <kind>=<id>, with one of ${names.join(', ')}.`)
    ids[kind] = [...(ids[kind] ?? []), /^-?\d+$/.test(id) ? Number(id) : id]
  }
  return ids
}
