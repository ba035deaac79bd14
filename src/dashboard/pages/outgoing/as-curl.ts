import { base } from '../client.js'
import { headersOf, type Outgoing } from './outgoing.js'

/** A command that sends a request. Files are read by name. */
export function asCurl(outgoing: Outgoing, sandbox: string): string {
  const { method, url, body } = outgoing
  const parts = [`curl -X ${method} ${quoted(base + url)}`]
  for (const [name, value] of Object.entries(headersOf(outgoing, sandbox)))
    parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (body && 'text' in body) parts.push(`--data-raw ${quoted(body.text)}`)
  if (body && 'form' in body) {
    for (const part of body.form) {
      const file = 'file' in part ? part.file.name : 'fileName' in part ? part.fileName : undefined
      const text = 'text' in part ? part.text : ''
      parts.push(
        file === undefined ? `--form-string ${quoted(`${part.name}=${text}`)}` : `-F ${quoted(`${part.name}=@${file}`)}`
      )
    }
  }
  return parts.join(' \\\n  ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
