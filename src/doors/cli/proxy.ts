import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { recording as recordingOfApi } from '../../apis/knowledge-chat/scenes/recording.js'
import { createContract } from '../../engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../engine/contract/ledger.js'
import { readDocuments } from '../../engine/contract/load.js'
import type { Operation } from '../../engine/contract/model.js'
import { operationsNamed } from '../../engine/contract/openapi/named.js'
import { makeFolder } from '../../engine/keep/make-folder.js'
import { recordingOf } from '../../tools/record/book.js'
import { followLive, recordLive } from '../../tools/record/live.js'
import type { LiveShadow } from '../../tools/shadow/findings.js'
import { Follower } from '../../tools/shadow/follower.js'
import { type ShadowMock, ShadowSandbox } from '../../tools/shadow/sandbox.js'
import { readLearned } from '../../tools/verify/drift.js'
import { createPlaces } from '../../tools/verify/report/place.js'
import { reportsOf } from '../../tools/verify/report/report.js'
import type { VerifyResult } from '../../tools/verify/verify.js'
import { addOptions } from '../options/command-line.js'
import { duration, flag, text, texts } from '../options/kinds.js'
import type { Settled, Table } from '../options/option.js'
import { type ServerOptions, serveTable } from '../options/table.js'
import { documentsIn } from '../with/with.js'
import { keepTable, recorderFor, summaryOf } from './record.js'
import { listen } from './serve.js'
import { conclude, verifyTable } from './verify.js'

export const proxyTable = {
  mock: {
    is: texts('operations'),
    default: [],
    help: 'operations that the mock answers, separated by commas; `*` matches any letters'
  },
  strict: { is: flag, default: false, help: 'answer 502 if a response of the service breaks the contract' },
  ca: { is: text('file'), help: 'also trust the certificates in this PEM file' },
  timeout: {
    is: duration({ unit: 'milliseconds', least: 1 }),
    default: 30_000,
    help: 'how long the service may stay silent'
  },
  record: { is: text('folder'), help: 'turn the answers into fixtures.json in this folder, without anything private' },
  ...keepTable,
  shadow: {
    is: flag,
    default: false,
    help: 'let the mock make the same calls in the sandbox `shadow`, and report what differs'
  },
  report: { ...verifyTable.report, help: `with --shadow: ${verifyTable.report.help}` },
  writeAssumptions: { ...verifyTable.writeAssumptions, help: `with --shadow: ${verifyTable.writeAssumptions.help}` },
  learned: { ...verifyTable.learned, help: `with --shadow: ${verifyTable.learned.help}` }
} as const satisfies Table

/** `proxy <upstream>`: puts the mock before a real service. Exits like `serve`. */
export function proxyCommand(): Command {
  const command = addOptions(new Command('proxy'), serveTable, ({ only }) => only === 'serve')
  return addOptions(command, proxyTable)
    .description('pass requests on to a real service, and check both sides against the contract')
    .argument('<upstream-url>', 'base address of the service')
    .action(proxy)
}

async function proxy(
  url: string,
  options: ServerOptions & Settled<typeof proxyTable>,
  command: Command
): Promise<void> {
  const { mock = [], strict = false, ca, timeout, record: folder, keep, force, shadow: follows, ...others } = options
  const { report = [], writeAssumptions, learned, ...rest } = others
  const documents = readDocuments()
  const extensions = documentsIn(rest.with ?? [], documents).documents
  const { operations } = createContract(documents, defaultChoices(readLedger()), extensions)
  const mocked = new Set(mock.flatMap((glob) => idsNamed(operations, glob)))
  const trusted = ca === undefined ? undefined : certificates(ca)
  const say = (text: string) => void process.stderr.write(text)
  const recorder = folder === undefined ? undefined : await recorderFor(folder, { ...rest, keep, force })
  const recording = recorder && recordLive(recorder, say, summaryOf)
  if (!follows && (report.length > 0 || (writeAssumptions ?? learned) !== undefined))
    throw new Error('report (--report), writeAssumptions (--write-assumptions) and learned (--learned) need --shadow.')
  // What cannot be read or written would be noticed only at the end.
  if (folder !== undefined) makeFolder(folder)
  if (learned !== undefined) readLearned(learned)
  const outputs = { writeAssumptions, learned, reports: reportsOf(report), places: createPlaces() }
  const shadow = follows ? shadowOf(url, { ...rest, learned }, (it) => conclude(it, outputs)) : undefined
  const upstream = { url, mocked, strict, timeout, ca: trusted, recording, shadow }
  await listen({ ...rest, auth: 'any', upstream }, command, (_, own) => hints(own, url))
}

/** Makes what repeats the calls of a service on a mock. `report` gets the result at the end. */
export function shadowOf(
  url: string,
  { seed = 1, api, learned }: { seed?: number | undefined; api?: unknown; learned?: string | undefined },
  report: (result: VerifyResult) => void,
  say = (text: string) => void process.stderr.write(text)
): (mock: object) => LiveShadow {
  return (value) => {
    const mock = value as ShadowMock
    const { choices, contractOf } = mock.edition
    const isDescribed = api !== undefined
    const recording = recordingOf(contractOf(choices), isDescribed ? undefined : recordingOfApi)
    const sandbox = new ShadowSandbox(mock, recording, seed)
    const isThorough = learned !== undefined
    const follower = new Follower({ url, sandbox, isDescribed, isThorough })
    const live = followLive({
      quiet: 200,
      longest: Number.POSITIVE_INFINITY,
      follow: (exchange, broken) => follower.follow(exchange, broken),
      fail: ({ stack }) => say(`shadow: ${stack}\n`)
    })
    return {
      ...live,
      shadowReport: () => follower.shadowReport,
      miss: (operation, why) => follower.miss(operation, why),
      close: async () => {
        await live.close()
        report(follower.result)
      }
    }
  }
}

function certificates(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`--ca: ${(error as Error).message}`)
  }
}

function hints(url: string, upstream: string): string[] {
  return [
    `upstream ${upstream}`,
    `look     ${url}/__mock/ (the dashboard)`,
    `journal  ${url}/__mock/requests?violations=true`,
    `coverage ${url}/__mock/coverage`
  ]
}

function idsNamed(operations: Map<string, Operation>, glob: string): string[] {
  const ids = operationsNamed(operations.values(), glob).map(({ id }) => id)
  if (ids.length > 0) return ids
  throw new Error(`--mock: no operation is named "${glob.trim()}". Known: ${[...operations.keys()].join(', ')}.`)
}
