import { compareTable } from '../doors/cli/compare.js'
import { execTable } from '../doors/cli/exec.js'
import { formatTable } from '../doors/cli/openapi.js'
import { proxyTable } from '../doors/cli/proxy.js'
import { recordTable } from '../doors/cli/record.js'
import { runTable, shrinkTable } from '../doors/cli/scenario.js'
import { staticTable } from '../doors/cli/static.js'
import { verifyTable } from '../doors/cli/verify.js'
import { choice } from '../doors/options/kinds.js'
import { flagOf, type Option, shown, type Table, withoutLinks } from '../doors/options/option.js'
import { serveTable } from '../doors/options/table.js'

/** The options in README.md: a table for each group. */
export function optionsTable(table: Table): string {
  const options = Object.entries(table).filter(([, { only }]) => only !== 'program')
  const groups = new Set(options.map(([, { group }]) => group))
  const tables = [...groups].map((group) => {
    const rows = options.filter(([, option]) => option.group === group).map(([name, option]) => rowOf(name, option))
    return [...(group === undefined ? [] : [`### ${group}\n`]), '| option | default | |', '|---|---|---|', ...rows]
  })
  return tables.map((lines) => lines.join('\n')).join('\n\n')
}

function rowOf(name: string, option: Option): string {
  const value = option.commandLine ?? option.default
  return `| \`${flagOf(name, option)}\` | ${defaultIn(option, value)} | ${option.help}${choicesIn(option)} |`
}

function defaultIn(option: Option, value: unknown): string {
  if (value === undefined) return option.otherwise ?? ''
  if (value === false) return 'off'
  const words = Array.isArray(value) ? '' : `\`${shown(option, value)}\``
  return option.public === undefined ? words : `${words}; public \`${shown(option, option.public)}\``
}

/** All of them, unless the help names each. */
function choicesIn({ is: { choices = [] }, help }: Option): string {
  const names = choices.map((it) => `\`${it}\``)
  return names.every((it) => help.includes(it)) ? '' : ` (${names.join(', ')})`
}

/** The interface of a table in the declarations of the package. */
export function printInterface(name: string, about: string, table: Table): string {
  const fields = Object.entries(table).map(([field, option]) => {
    const help = withoutLinks(option.help)
    return `  /** ${help[0]?.toUpperCase()}${help.slice(1)}. ${defaultOf(option)} */\n  ${field}?: ${option.is.type}\n`
  })
  return `/** ${about} */\nexport interface ${name} {\n${fields.join('')}}\n`
}

function defaultOf(option: Option): string {
  const values = [
    option.default === undefined ? (option.otherwise ?? 'none') : shown(option, option.default) || 'none',
    option.commandLine !== undefined && `${shown(option, option.commandLine)} on the command line`,
    option.public !== undefined && `${shown(option, option.public)} with \`public\``
  ]
  const unit = option.is.unit ? `A number is in ${option.is.unit}. ` : ''
  return `${unit}Default: ${values.filter(Boolean).join('; ')}.`
}

/** The options of all commands, which a config file may have. One of several commands has the choices of each. */
export function configTable(): Table {
  const tables: Table[] = [serveTable, verifyTable, proxyTable, recordTable, execTable, staticTable]
  const entries = [...tables, runTable, shrinkTable, formatTable, compareTable].flatMap((it) => Object.entries(it))
  const all: Table = {}
  for (const [name, option] of entries) {
    const { is, ...first } = all[name] ?? option
    const choices = [...new Set([...(is.choices ?? []), ...(option.is.choices ?? [])])]
    all[name] = { ...first, is: choices.length > 0 ? choice(is.placeholder ?? '', choices) : is }
  }
  return all
}

/** The JSON Schema of a config file, for editors. */
export function configSchema(): string {
  const properties = Object.entries(configTable())
    .filter(([, { only }]) => only !== 'program')
    .map(([name, { help, is }]) => [name, { description: withoutLinks(help).replaceAll('`', ''), ...schemaOf(is) }])
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'knowledge-chat-mock.config.json',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(properties) }
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}

function schemaOf({ type, choices, isList }: Option['is']): object {
  if (choices) return { enum: choices }
  const list = { type: 'array', items: { type: 'string' } }
  if (isList) return list
  const types = type.split(' | ').filter((it) => ['number', 'string', 'boolean'].includes(it))
  return type.includes('readonly string[]') ? { anyOf: [{ type: types }, list] } : { type: types }
}
