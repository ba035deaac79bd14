import { constants } from 'node:os'
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { Command } from 'commander'
import { mockUsers } from '../../apis/document/infer.js'
import type { Api, TokenPlace } from '../../engine/api.js'
import { type JsonObject, shown } from '../../engine/contract/load.js'
import { isLoopback } from '../../engine/serve/message/caller.js'
import { writtenIn } from '../../engine/serve/message/tokens.js'
import type { AnyRow } from '../../engine/store/collection.js'
import { contradictionsIn } from '../../tools/compare/contradictions.js'
import { inShell } from '../../tools/texts.js'
import { valueFor } from '../../tools/verify/phases/documents.js'
import { addOptions } from '../options/command-line.js'
import { type ServerOptions, serveTable } from '../options/table.js'
import { createLog, type Log } from '../program/log.js'
import { type OpenServer, startMock } from '../program/server.js'
import { readJoined } from '../with/references.js'

/** `serve`: exits with 0 on SIGINT or SIGTERM, 2 on a wrong option, 3 if the port is taken. */
export function serveCommand(): Command {
  return addOptions(new Command('serve'), serveTable)
    .description('serve the mock (the default command)')
    .action(async (options: ServerOptions, command: Command) => {
      await listen(options, command, (mock, url) => hints(mock, url, options))
      if (options.with?.length) keepYoungSmall()
    })
}

/**
 * Keeps V8's space for new objects at the size that it has after the start. The first answers of own operations compile and
 * generate a lot, after which V8 would keep twice that space, 16 MiB, permanently.
 */
function keepYoungSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

function hints(mock: OpenServer, url: string, options: ServerOptions): string[] {
  const { edition, sandbox } = mock
  const { users } = edition.api
  // Users may be rows of the document.
  const rows = users.common.length > 0 ? [] : sandbox('default').rows(users.collection as never)
  const token = users.common[0] ?? (rows[0] as unknown as AnyRow | undefined)?.[users.token]
  const collections = edition.extensions.documents[0]?.collections.map(({ name }) => name) ?? []
  const names = collections.filter((it) => it !== mockUsers)
  const rest = names.length > 12 ? ` … and ${names.length - 12} more` : ''
  return [
    `try      curl ${calling(mock, url, String(token ?? ''))}`,
    ...(token === undefined
      ? []
      : [`tokens   ${[token, ...users.common.slice(1)].join(', ')}; with your own sandbox: ${token}~any-name`]),
    ...(options.api === undefined ? [] : [`rows     ${names.slice(0, 12).join(', ')}${rest}`]),
    ...unclearHints(edition.api),
    ...contradictionHints(edition),
    ...controlHints(url, options),
    `explore  ${url}/docs`,
    `manual   ${url}/guide`,
    `OpenAPI  ${url}/openapi.json`
  ]
}

/** How much of an API's document the mock does not understand. */
function unclearHints({ document }: Api): string[] {
  const { length = 0 } = document?.notUnderstood ?? []
  const what = length === 1 ? '1 operation or parameter has' : `${length} operations or parameters have`
  return length === 0 ? [] : [`unclear  ${what} no effect on rows: see not_understood in /__mock/collections`]
}

/** The arguments of curl for an example, with a token where it belongs. */
function calling({ edition, sandbox }: OpenServer, url: string, token: string): string {
  const { examples, document } = edition.api
  const contract = edition.contractOf(edition.choices)
  const operation = contract.operations.get(examples.operation)
  const usual: TokenPlace = { in: 'header', name: 'authorization', scheme: 'Bearer' }
  const [way = []] = document ? (operation ? document.placesOf(operation) : []) : [[usual]]
  const places = token === '' ? [] : way
  const options = places.filter((it) => it.in !== 'query').map((it) => `-H '${writtenIn(it, token)}' `)
  const query = places.filter((it) => it.in === 'query').map((it) => writtenIn(it, token).slice(1))
  const { key = 'id', name = '' } = contract.collections.get(operation?.mock?.collection ?? '') ?? {}
  const [row] = name === '' ? [] : (sandbox('default').rows(name as never) as unknown as AnyRow[])
  const parameters = (operation?.input.path?.properties ?? {}) as JsonObject
  const valueFrom = (it: string) =>
    (examples.path.endsWith(`{${it}}`) && row?.[key]) || valueFor(contract, parameters[it])
  const path = examples.path.replace(/\{([^{}]*)\}/g, (_, it) => encodeURIComponent(String(valueFrom(it))))
  return options.join('') + (query.length === 0 ? url + path : `'${url}${path}?${query.join('&')}'`)
}

/** In how many places a service's own document contradicts the contract, and the command that follows it. */
function contradictionHints({ extensions, ...contract }: OpenServer['edition']): string[] {
  return extensions.documents.flatMap(({ file, kept }) => {
    if (file === undefined || kept.length === 0) return []
    const name = shown(file)
    try {
      const { length } = contradictionsIn(contract, { name, root: readJoined(file).document, kept })
      const places = length === 1 ? '1 contradiction' : `${length} contradictions`
      const command = `knowledge-chat-mock adopt ${inShell(name)}`
      return length === 0 ? [] : [`adopt    ${name} has ${places} with the contract: ${command}`]
    } catch (error) {
      return [`adopt    ${name} cannot be compared with the contract: ${(error as Error).message}`]
    }
  })
}

function controlHints(url: string, { host = '127.0.0.1', control, controlToken, ...options }: ServerOptions): string[] {
  if (control === 'off' || (options.public && controlToken === undefined)) return []
  if (!isLoopback(host) && controlToken === undefined) {
    return ['control  closed, because others can reach this address: set --control-token']
  }
  return [`look     ${url}/__mock/ (the dashboard)`, `control  ${url}/__mock/requests, /__mock/clock, /__mock/reset …`]
}

/** Listens until SIGINT or SIGTERM and then exits with 0. Hints get the address by which this machine reaches the mock. */
export async function listen(
  options: ServerOptions,
  command: Command,
  hints: (mock: OpenServer, url: string) => string[]
): Promise<void> {
  const { mock, log } = await started(options, command)
  process.stdout.write(`ready ${mock.url}\n`)
  log.turn(`ready ${mock.url}`)
  // Clients cannot call 0.0.0.0.
  log.hints(hints(mock, mock.url.replace('//0.0.0.0', '//127.0.0.1').replace('//[::]', '//[::1]')))
}

/** A mock that listens, until a signal or `stop`. */
export async function started(
  options: ServerOptions,
  command: Command
): Promise<{ mock: OpenServer; log: Log; stop: (why: string) => Promise<void> }> {
  const log = createLog(options.log ?? 'info')
  const mock = await startMock(options).catch((error: NodeJS.ErrnoException) => {
    if (!['listen', 'getaddrinfo'].includes(error.syscall ?? '')) throw error
    return command.error(`error: ${cannotListen(error, options)}`, { exitCode: error.code === 'EADDRINUSE' ? 3 : 2 })
  })
  // The first signal lets requests in progress finish.
  const stop = async (why: string): Promise<void> => {
    log.turn(`${why}: finishes the requests in progress`)
    await mock.close()
    log.turn('stopped')
    process.exit()
  }
  onSignal(stop)
  return { mock, log, stop }
}

function cannotListen(error: NodeJS.ErrnoException, { port, host }: ServerOptions): string {
  if (error.code === 'EADDRINUSE')
    return `port ${port} is taken. Give another with --port, or --port 0 for any free one.`
  return `cannot listen on ${host}:${port}: ${error.message}`
}

/** Milliseconds in which a further SIGTERM is the same one: `timeout` sends it to the process, and to its group. */
const sameSignal = 100

/** Calls `stop` at the first SIGINT or SIGTERM. The next one ends the process at once. */
export function onSignal(stop: (signal: NodeJS.Signals) => unknown): void {
  let first: number | undefined
  const take = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = performance.now()
      stop(signal)
    } else if (signal === 'SIGINT' || performance.now() - first > sameSignal)
      process.exit(128 + constants.signals[signal])
  }
  process.on('SIGINT', take).on('SIGTERM', take)
}
