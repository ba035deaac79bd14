import { writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { checks } from '../../checks/verify/checks.js'
import { createPlaces } from '../../checks/verify/report/place.js'
import { reportsOf, writeReports } from '../../checks/verify/report/report.js'
import { text as textOf } from '../../checks/verify/report/text.js'
import { type Given, kinds } from '../../checks/verify/rows.js'
import type { VerifyResult } from '../../checks/verify/verify.js'
import { addOptions } from '../options/command-line.js'
import { flag, number, several, text, wholeNumber } from '../options/kinds.js'
import type { Settled, Table } from '../options/option.js'
import { choiceTable, withTable } from '../options/start.js'
import { verify } from '../program/verify.js'
import { createProgress } from './progress.js'

const verifyTable = {
  token: { is: text('token'), help: "an administrator's token; of this mock: admin" },
  userToken: {
    is: text('token'),
    help: "another user's, who is no administrator; empty: none; of this mock: basic"
  },
  header: { is: several('name=value'), help: 'sent with every request; repeatable' },
  operations: { is: text('globs'), default: '*', help: 'ids or numbers, such as *Credential,E3' },
  mutating: { is: flag, default: false, help: 'make calls that change something, too' },
  known: { is: several('kind=id', ','), help: `a row that may be read; repeatable (${kinds.join(', ')})` },
  disposable: { is: several('kind=id', ','), help: 'a row that may be changed and deleted; repeatable' },
  seed: { is: wholeNumber(), default: 1, help: 'seeds what is generated' },
  cases: { is: wholeNumber(), default: 10, help: 'generated requests per operation' },
  timeout: { is: number({ above: 0, placeholder: 'seconds' }), default: 10, help: 'for one request' },
  concurrency: { is: number({ above: 0 }), default: 8, help: 'connections at most' },
  report: { is: several('forms'), help: 'junit=<file>,sarif=<file>,ndjson=<file>,html=<file>,github' },
  description: { is: text('file'), help: 'your OpenAPI document or text: SARIF and annotations point at its lines' },
  writeAssumptions: { is: text('file'), help: 'JSON: the choices that make the mock act like the server' },
  ...choiceTable,
  ...withTable
} as const satisfies Table

type VerifyCommandOptions = Settled<typeof verifyTable>

/** `verify <base-url>`: ends with 0 when all held, 1 when a check failed, 2 when it could not run or no check ran. */
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
    .action(async (url: string, options: VerifyCommandOptions, command: Command) => {
      const progress = createProgress(process.stderr)
      try {
        const { report, description, header, known, disposable, writeAssumptions: _, userToken, ...own } = options
        const reports = reportsOf(report ?? [])
        const places = createPlaces(description, process.env.GITHUB_WORKSPACE)
        const result = await verify({
          ...own,
          url,
          ...(userToken !== undefined && { userToken: userToken || null }),
          headers: headersOf(header ?? []),
          known: givenOf('known', known ?? []),
          disposable: givenOf('disposable', disposable ?? []),
          timeout: own.timeout * 1000,
          onCheck: progress.tick
        })
        progress.end()
        finish(result, options)
        writeReports(result, reports, places, process.env.GITHUB_STEP_SUMMARY)
      } catch (error) {
        progress.end()
        command.error(`error: ${(error as Error).message}`, { exitCode: 2 })
      }
    })
}

function finish(result: VerifyResult, { writeAssumptions, operations }: VerifyCommandOptions): void {
  process.stdout.write(textOf(result))
  if (writeAssumptions) writeFileSync(writeAssumptions, `${JSON.stringify(result.assume, null, 2)}\n`)
  process.exitCode = result.exitCode
  if (result.operations === 0) console.error(`error: no operation is named by "${operations}".`)
  else if (result.exitCode === 2)
    console.error('error: no check ran: without --mutating, only calls that change nothing.')
}

function headersOf(texts: readonly string[]): { [name: string]: string } {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = '', value] = text.split(/=(.*)/s)
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || value === undefined) {
        throw new Error(`header is "${text}": give <name>=<value>, such as X-Tenant=acme.`)
      }
      return [name, value]
    })
  )
}

/** Ids of numbers are numbers. */
function givenOf(name: string, texts: readonly string[]): Given {
  const given: Given = {}
  for (const text of texts) {
    const [word, id] = text.split(/=(.*)/s)
    const kind = kinds.find((it) => it === word)
    if (!kind || !id) throw new Error(`${name} is "${text}": give <kind>=<id>, with one of ${kinds.join(', ')}.`)
    given[kind] = [...(given[kind] ?? []), /^-?\d+$/.test(id) ? Number(id) : id]
  }
  return given
}
