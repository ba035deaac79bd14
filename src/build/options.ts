import { flagOf, type Option, shown, type Table } from '../doors/options/option.js'

/** The table of options in README.md. */
export function optionsTable(table: Table): string {
  const rows = Object.entries(table)
    .filter(([, { only }]) => only !== 'program')
    .map(([name, option]) => {
      const value = option.commandLine ?? option.default
      return `| \`${flagOf(name, option)}\` | ${defaultIn(option, value)} | ${option.help}${choicesIn(option)} |`
    })
  return ['| option | default | |', '|---|---|---|', ...rows].join('\n')
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
    const help = option.help.replace(/: \[[^[\]]*\]\([^()]*\)/g, '')
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
