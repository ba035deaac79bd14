import { parseArgs } from 'node:util'

/**
 * What the command line says; `--help` prints the text and ends the program.
 * @param {string} help
 * @param {NonNullable<import('node:util').ParseArgsConfig['options']>} options
 */
export function optionsOf(help, options) {
  const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', default: false } } })
  if (!values.help) return values
  console.log(help)
  process.exit()
}
