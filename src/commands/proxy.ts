import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { createContract, type Operation } from '../contract/contract.js'
import { readDocuments } from '../contract/load.js'
import { operationsNamed } from '../contract/named.js'
import { defaultChoices, readLedger } from '../mock/assumptions.js'
import { type ListenOptions, listen, withListenOptions } from './listen.js'
import { option, positiveNumber } from './options.js'

interface ProxyOptions extends ListenOptions {
  mock?: string
  strict?: boolean
  ca?: string
  timeout: number
}

/** `proxy <upstream>`: a real service behind the contract; ends as `serve` does. */
export function proxyCommand(): Command {
  return withListenOptions(new Command('proxy'))
    .description('pass requests on to a real service, and hold both sides to the contract')
    .argument('<upstream-url>', 'base address of the service')
    .addOption(
      option('--mock <operations>', 'operations that the mock answers, separated by commas; * stands for any letters')
    )
    .addOption(option('--strict', 'answer 502 where an answer of the service breaks the contract'))
    .addOption(option('--ca <file>', 'trust the certificates in this file (PEM) too'))
    .addOption(
      option('--timeout <milliseconds>', 'how long the service may stay silent')
        .argParser(positiveNumber)
        .default(30_000)
    )
    .action((url: string, options: ProxyOptions, command: Command) => proxy(url, options, command))
}

async function proxy(url: string, options: ProxyOptions, command: Command): Promise<void> {
  const { mock, strict = false, ca, timeout, ...rest } = options
  try {
    const { operations } = createContract(readDocuments(), defaultChoices(readLedger()))
    const mocked = new Set(mock === undefined ? [] : mock.split(',').flatMap((glob) => idsNamed(operations, glob)))
    const upstream = { url, mocked, strict, timeout, ca: ca === undefined ? undefined : certificates(ca) }
    await listen({ ...rest, auth: 'any', upstream }, command, (own) => hints(own, url))
  } catch (error) {
    if (error instanceof CommanderError) throw error
    command.error(`error: ${(error as Error).message}`, { exitCode: 2 })
  }
}

function certificates(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`--ca: ${(error as Error).message}`)
  }
}

function hints(own: string, upstream: string): string[] {
  return [
    `upstream ${upstream}`,
    `look     ${own}/__mock/`,
    `journal  ${own}/__mock/requests?violations=true`,
    `coverage ${own}/__mock/coverage`
  ]
}

function idsNamed(operations: Map<string, Operation>, glob: string): string[] {
  const named = operationsNamed(operations.values(), glob).map(({ id }) => id)
  if (named.length > 0) return named
  throw new Error(`--mock: no operation is named "${glob.trim()}". There are: ${[...operations.keys()].join(', ')}.`)
}
