import { type Documents, follow, type JsonObject } from '../contract/load.js'

/**
 * Prints the code of resources whose responses and changes copy most fields, so that a new field needs none by hand.
 * It is printed because objects that loops make are several times slower to build and to write.
 */
export function printRows(documents: Documents): string {
  return [
    '// Printed from contracts/ by npm run build. Do not edit.',
    "import type { Persona, Rows } from './types.gen.js'",
    ...rowCode(documents, 'personas', 'Persona', 'updatePersona')
  ].join('\n')
}

/** A row field that refers to the same field of the response is shown as it is. */
function rowCode(documents: Documents, name: string, shown: string, change: string): string[] {
  const fieldsAt = (path: string) => follow(documents, `${name}.json#/${path}/properties`) as Record<string, JsonObject>
  const row = fieldsAt(`collections/${name}/row`)
  const field = fieldsAt(`$defs/${shown}`)
  const isCopied = (it: string) => row[it]?.$ref === `#/$defs/${shown}/properties/${it}`
  const fields = Object.keys(field)
  const others = fields.filter((it) => !isCopied(it))
  const changed = Object.keys(fieldsAt(`operations/${change}/input/body`)).filter((it) => it in row)
  const type = `Rows['${name}']`
  return [
    `/** ${shown} as responses show it: most fields as the row has them, and the others as given. */`,
    `export function shown${shown}(row: ${type}, others: Required<Pick<${shown}, ${others.map((it) => `'${it}'`).join(' | ')}>>): ${shown} {`,
    '  return {',
    fields.map((it) => `    ${it}: ${isCopied(it) ? 'row' : 'others'}.${it}`).join(',\n'),
    '  }',
    '}',
    `/** What each field of the row that ${change} names is when it is empty. */`,
    `export const empty${shown} = {`,
    changed.map((it) => `  ${it}: ${emptyOf((isCopied(it) ? field : row)[it] as JsonObject)}`).join(',\n'),
    `} satisfies Partial<${type}>`,
    ''
  ]
}

function emptyOf(schema: JsonObject): string {
  const types = [schema.type].flat()
  if ('x-null' in schema || types.includes('null')) return 'null'
  if (types.includes('array')) return '[]'
  if (types.includes('string')) return "''"
  return types.includes('boolean') ? 'false' : '0'
}
