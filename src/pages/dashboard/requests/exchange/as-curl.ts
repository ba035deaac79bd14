import type { JournalDetail } from '../../../../contract/types.gen.js'
import { base } from '../../client.js'
import { bodyText, headersOf, isUpload } from './again.js'

/** A command that sends the request again. Hidden values stay hidden, and files are read by name. */
export function asCurl(exchange: JournalDetail, sandbox: string): string {
  const { method, url, request } = exchange
  const parts = [`curl -X ${method} ${quoted(base + url)}`]
  const headers = headersOf(exchange, sandbox)
  // curl chooses the boundary of a form.
  if (isUpload(request)) delete headers['content-type']
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (isUpload(request)) parts.push(...formParts(request.body))
  else if (request.body !== undefined) parts.push(`--data-raw ${quoted(bodyText(exchange) as string)}`)
  return parts.join(' \\\n  ')
}

/** The fields of a form in the journal: texts, and files by name and type. */
function formParts(body: unknown): string[] {
  return Object.entries(body ?? {}).flatMap(([field, value]) =>
    [value].flat().map((item: { name?: string } | string) => {
      const isFile = typeof item === 'object' && item !== null && item.name !== undefined
      return isFile ? `-F ${quoted(`${field}=@${item.name}`)}` : `--form-string ${quoted(`${field}=${item}`)}`
    })
  )
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
