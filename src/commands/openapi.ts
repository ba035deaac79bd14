import { Command } from 'commander'
import { lazily } from '../contract/lazy.js'
import type { Profile } from '../mock/assumptions.js'
import { openapi } from '../openapi.js'
import { assumeOption, contractsOption, option, profileOption } from './options.js'

interface Options {
  format: string
  profile: Profile
  assume?: string[]
  contracts?: string
}

/** `openapi`: prints the OpenAPI 3.1 document that the contracts amount to under these assumptions. */
export function openapiCommand(): Command {
  return new Command('openapi')
    .description('print the OpenAPI 3.1 document')
    .addOption(option('--format <name>', 'form of the output').choices(['json', 'yaml']).default('json'))
    .addOption(profileOption())
    .addOption(assumeOption())
    .addOption(contractsOption())
    .action(({ format, ...options }: Options, command: Command) => {
      try {
        const document = openapi(options)
        process.stdout.write(format === 'yaml' ? yaml(document) : `${JSON.stringify(document, null, 2)}\n`)
      } catch (error) {
        command.error(`error: ${(error as Error).message}`)
      }
    })
}

function yaml(document: object): string {
  const { stringify } = lazily('yaml') as typeof import('yaml')
  return stringify(document, { aliasDuplicateObjects: false })
}
