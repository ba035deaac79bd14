import { Command } from 'commander'
import { isLoopback } from '../http/host.js'
import { type ListenOptions, listen, withListenOptions } from './listen.js'
import { option } from './options.js'
import { publicOptions } from './public.js'

/** `serve`: ends with 0 on SIGINT or SIGTERM, 2 on a wrong option, 3 when it cannot listen. */
export function serveCommand(): Command {
  const command = withListenOptions(new Command('serve'))
    .description('serve the mock (the default command)')
    .addOption(option('--auth <mode>', 'any: unknown tokens act as admin').choices(['strict', 'any']).default('strict'))
    .addOption(option('--strict', 'answer 500 where a reply of the mock breaks its contract'))
    .action((options: ListenOptions, command: Command) => listen(options, command, (url) => hints(url, options)))
  for (const made of publicOptions()) command.addOption(made)
  return command
}

function controlHints(url: string, { host = '127.0.0.1', controlToken }: ListenOptions): string[] {
  if (!isLoopback(host) && controlToken === undefined) {
    return ['control  answers nobody, because others can reach this address: give it a --control-token']
  }
  return [`look     ${url}/__mock/`, `control  ${url}/__mock/requests, /__mock/clock, /__mock/reset …`]
}

function hasControl(options: ListenOptions): boolean {
  return options.control !== 'off' && (!options.public || options.controlToken !== undefined)
}

function hints(url: string, options: ListenOptions): string[] {
  return [
    `try      curl -H 'Authorization: Bearer admin' ${url}/api/persona/1`,
    'tokens   admin, curator, basic; a copy of your own: admin~any-name',
    ...(hasControl(options) ? controlHints(url, options) : []),
    `explore  ${url}/docs`,
    `OpenAPI  ${url}/openapi.json`
  ]
}
