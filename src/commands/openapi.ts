import { Command, Option } from 'commander'
import { createContract } from '../contract/contract.js'
import { lazily } from '../contract/lazy.js'
import { openapi } from '../contract/openapi.js'
import { choose, type Profile, pairsOf } from '../mock/assumptions.js'
import { readDefinitions } from '../mock/edition.js'
import { assumeOption, contractsOption, profileOption } from './options.js'

/** `openapi`: prints the OpenAPI 3.1 document that the contracts amount to under these assumptions. */
export function openapiCommand(): Command {
  return new Command('openapi')
    .description('print the OpenAPI 3.1 document')
    .addOption(new Option('--format <name>', 'form of the output').choices(['json', 'yaml']).default('json'))
    .addOption(profileOption())
    .addOption(assumeOption())
    .addOption(contractsOption())
    .action(
      (options: { format: string; profile: Profile; assume?: string[]; contracts?: string }, command: Command) => {
        try {
          const { documents, ledger } = readDefinitions(options.contracts)
          const choices = choose(ledger, options.profile, pairsOf(options.assume ?? []))
          const document = openapi(createContract(documents, choices))
          process.stdout.write(options.format === 'yaml' ? yaml(document) : `${JSON.stringify(document, null, 2)}\n`)
        } catch (error) {
          command.error(`error: ${(error as Error).message}`)
        }
      }
    )
}

function yaml(document: object): string {
  const { stringify } = lazily('yaml') as typeof import('yaml')
  return stringify(document, { aliasDuplicateObjects: false })
}
