import { Command } from 'commander'
import { type ListenOptions, listen, withListenOptions } from './listen.js'
import { option } from './options.js'
import { publicOptions } from './public.js'

/** `serve`: ends with 0 on SIGINT or SIGTERM, 2 on a wrong option, 3 when it cannot listen. */
export function serveCommand(): Command {
  const command = withListenOptions(new Command('serve'))
    .description('serve the mock (the default command)')
    .addOption(option('--auth <mode>', 'any: unknown tokens act as admin').choices(['strict', 'any']).default('strict'))
    .addOption(option('--strict', 'answer 500 where a reply of the mock breaks its contract'))
    .action((options: ListenOptions, command: Command) =>
      listen(options, command, (url) => hints(url, hasControl(options)))
    )
  for (const made of publicOptions()) command.addOption(made)
  return command
}

function hasControl(options: ListenOptions): boolean {
  return options.control !== 'off' && (!options.public || options.controlToken !== undefined)
}

function hints(url: string, isControlled: boolean): string[] {
  return [
    `try      curl -H 'Authorization: Bearer admin' ${url}/api/persona/1`,
    'tokens   admin, curator, basic; a copy of your own: admin~any-name',
    ...(isControlled
      ? [`look     ${url}/__mock/`, `control  ${url}/__mock/requests, /__mock/clock, /__mock/reset …`]
      : []),
    `explore  ${url}/docs`,
    `OpenAPI  ${url}/openapi.json`
  ]
}
