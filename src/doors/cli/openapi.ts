import { Command } from 'commander'
import { lazily } from '../../engine/contract/lazy.js'
import { addOptions } from '../options/command-line.js'
import { choice } from '../options/kinds.js'
import type { Table } from '../options/option.js'
import { type OpenapiOptions, openapiTable } from '../options/table.js'
import { openapi } from '../program/openapi.js'

export const formatTable = {
  format: { is: choice('name', ['json', 'yaml']), default: 'json', help: 'output format' }
} as const satisfies Table

/** `openapi`: prints the OpenAPI 3.1 document under the given assumptions. */
export function openapiCommand(): Command {
  return addOptions(new Command('openapi'), { ...formatTable, ...openapiTable })
    .description('print the OpenAPI 3.1 document')
    .action(({ format, ...options }: OpenapiOptions & { format: string }) => {
      const document = openapi(options)
      process.stdout.write(format === 'yaml' ? yaml(document) : `${JSON.stringify(document, null, 2)}\n`)
    })
}

function yaml(document: object): string {
  const { stringify } = lazily('yaml') as typeof import('yaml')
  return stringify(document, { aliasDuplicateObjects: false })
}
