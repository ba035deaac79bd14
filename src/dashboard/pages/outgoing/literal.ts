import { jsonIn } from '../json/text.js'
import type { Outgoing } from './outgoing.js'

/** A value as JavaScript, which is JSON without quotes around names. `indent` is the number of steps for nested lines. */
export function literal(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, undefined, 2) ?? 'undefined'
  return text.replace(/^( *)"([A-Za-z_]\w*)":/gm, '$1$2:').replaceAll('\n', `\n${'  '.repeat(indent)}`)
}

/** A body as the expression that fetch takes. */
export function bodyExpression(body: NonNullable<Outgoing['body']>, indent: number): string {
  if ('form' in body) return 'form'
  const value = jsonIn(body.text)
  return typeof value === 'string' ? literal(body.text) : `JSON.stringify(${literal(value, indent)})`
}

/** The lines that create a form. Files must be read first. */
export function formLines({ body }: Outgoing): string[] {
  if (!body || !('form' in body)) return []
  const lines = body.form.map((part) => {
    const name = 'file' in part ? part.file.name : 'fileName' in part ? part.fileName : undefined
    if (name === undefined) return `form.append(${literal(part.name)}, ${literal('text' in part ? part.text : '')})`
    return `form.append(${literal(part.name)}, new Blob([await readFile(${literal(name)})]), ${literal(name)})`
  })
  return ['const form = new FormData()', ...lines]
}
