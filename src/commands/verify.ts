import { writeFileSync } from 'node:fs'
import { Command } from 'commander'
import type { Profile } from '../mock/assumptions.js'
import { checks } from '../verify/checks.js'
import { createPlaces } from '../verify/report/place.js'
import { reportsOf, writeReports } from '../verify/report/report.js'
import { text } from '../verify/report/text.js'
import { type Given, kinds } from '../verify/rows.js'
import { type VerifyResult, verify } from '../verify/verify.js'
import { assumeOption, option, positiveNumber, profileOption, wholeNumber } from './options.js'
import { createProgress } from './progress.js'

interface VerifyCommandOptions {
  token?: string
  userToken?: string
  header?: string[]
  operations: string
  mutating?: boolean
  known?: string[]
  disposable?: string[]
  seed: number
  cases: number
  timeout: number
  concurrency: number
  report?: string[]
  description?: string
  writeAssumptions?: string
  profile: Profile
  assume?: string[]
}

const several = (value: string, before: string[] = []) => [...before, value]

/** `verify <base-url>`: ends with 0 when all held, 1 when a check failed, 2 when it could not run or no check ran. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('test a server of this interface against the contracts')
    .argument('<base-url>', 'such as http://127.0.0.1:4010')
    .addOption(option('--token <token>', "an administrator's token; of this mock: admin"))
    .addOption(
      option('--user-token <token>', "another user's, who is no administrator; empty: none; of this mock: basic")
    )
    .addOption(option('--header <name=value>', 'sent with every request; repeatable').argParser(several))
    .addOption(option('--operations <globs>', 'ids or numbers, such as *Credential,E3').default('*'))
    .addOption(option('--mutating', 'make calls that change something, too'))
    .addOption(
      option('--known <kind=id>', `a row that may be read; repeatable (${kinds.join(', ')})`).argParser(several)
    )
    .addOption(option('--disposable <kind=id>', 'a row that may be changed and deleted; repeatable').argParser(several))
    .addOption(option('--seed <number>', 'seeds what is generated').argParser(wholeNumber).default(1))
    .addOption(option('--cases <number>', 'generated requests per operation').argParser(wholeNumber).default(10))
    .addOption(option('--timeout <seconds>', 'for one request').argParser(positiveNumber).default(10))
    .addOption(option('--concurrency <number>', 'connections at most').argParser(positiveNumber).default(8))
    .addOption(
      option('--report <forms>', 'junit=<file>,sarif=<file>,ndjson=<file>,html=<file>,github').argParser(several)
    )
    .addOption(
      option('--description <file>', 'your OpenAPI document or text: SARIF and annotations point at its lines')
    )
    .addOption(option('--write-assumptions <file>', 'JSON: the choices that make the mock act like the server'))
    .addOption(profileOption())
    .addOption(assumeOption())
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
  process.stdout.write(text(result))
  if (writeAssumptions) writeFileSync(writeAssumptions, `${JSON.stringify(result.assume, null, 2)}\n`)
  process.exitCode = result.exitCode
  if (result.operations === 0) console.error(`error: no operation is named by "${operations}".`)
  else if (result.exitCode === 2)
    console.error('error: no check ran: without --mutating, only calls that change nothing.')
}

function headersOf(texts: string[]): { [name: string]: string } {
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
function givenOf(name: string, texts: string[]): Given {
  const given: Given = {}
  for (const text of texts.flatMap((it) => it.split(','))) {
    const [word, id] = text.split(/=(.*)/s)
    const kind = kinds.find((it) => it === word)
    if (!kind || !id) throw new Error(`${name} is "${text}": give <kind>=<id>, with one of ${kinds.join(', ')}.`)
    given[kind] = [...(given[kind] ?? []), /^-?\d+$/.test(id) ? Number(id) : id]
  }
  return given
}
