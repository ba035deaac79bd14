import { setFlagsFromString } from 'node:v8'
import { Command } from 'commander'
import { isLoopback } from '../../engine/serve/message/target.js'
import { addOptions } from '../options/command-line.js'
import { type ServerOptions, serveTable } from '../options/table.js'
import { listen } from './listen.js'

/** `serve`: exits with 0 on SIGINT or SIGTERM, 2 on a wrong option, 3 if it cannot listen. */
export function serveCommand(): Command {
  return addOptions(new Command('serve'), serveTable)
    .description('serve the mock (the default command)')
    .action(async (options: ServerOptions, command: Command) => {
      await listen(options, command, (url) => hints(url, options))
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

function controlHints(url: string, { host = '127.0.0.1', controlToken }: ServerOptions): string[] {
  if (!isLoopback(host) && controlToken === undefined) {
    return ['control  closed, because others can reach this address: set --control-token']
  }
  return [`look     ${url}/__mock/`, `control  ${url}/__mock/requests, /__mock/clock, /__mock/reset …`]
}

function hasControl(options: ServerOptions): boolean {
  return options.control !== 'off' && (!options.public || options.controlToken !== undefined)
}

function hints(url: string, options: ServerOptions): string[] {
  return [
    `try      curl -H 'Authorization: Bearer admin' ${url}/api/persona/1`,
    'tokens   admin, curator, basic; with a sandbox of your own: admin~any-name',
    ...(hasControl(options) ? controlHints(url, options) : []),
    `explore  ${url}/docs`,
    `OpenAPI  ${url}/openapi.json`
  ]
}
