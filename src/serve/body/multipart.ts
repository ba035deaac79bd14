import { Refusal } from '../../contract/message/refusal.js'
import type { Request } from '../message/message.js'
import { type Limits, tooLarge } from './limits.js'
import { maxFields, noBoundary, type Part, unreadable } from './part.js'
import { readParts } from './parts.js'
import { Upload } from './storage.js'
import type { UploadShare } from './upload-budget.js'

/** How the fields of a form are read. */
export interface FormFields {
  /** The names of array fields. */
  lists: ReadonlySet<string>
  /** Which value of another repeated field to use. Called only if a field is repeated. */
  whichCounts: () => 'last' | 'first'
}

/**
 * Reads a multipart/form-data body. Any other body is a form without fields. A rejected body is not read to its end.
 */
export async function readMultipart(
  request: Request,
  fields: FormFields,
  limits: Limits,
  share: UploadShare
): Promise<Record<string, unknown>> {
  const parts: Part[] = []
  try {
    const isFormData = isForm(request)
    const { parsed } = request.body
    if (isFormData && parsed) parts.push(...partsOf(parsed))
    else if (isFormData) await readParts(request, limits, share, parts)
  } catch (error) {
    share.release()
    throw refusal(error as Error & { code?: string }, limits)
  }
  return formOf(parts, fields)
}

function isForm({ headers, body }: Request): boolean {
  const type = headers['content-type'] ?? ''
  const encoding = headers['content-encoding']
  if (!/^multipart\/form-data\s*(;|$)/i.test(type) || !body.isExpected) return false
  if (encoding && encoding !== 'identity') throw new Refusal('unsupported-encoding', { encoding })
  if (!/;\s*boundary=/i.test(type)) throw unreadable(noBoundary)
  return true
}

/** The parts of a form that another part of the app has parsed. */
function partsOf({ value, files = [] }: NonNullable<Request['body']['parsed']>): Part[] {
  const texts = Object.entries(value ?? {}).flatMap(([name, given]) =>
    [given].flat().map((it): Part => [name, `${it}`])
  )
  const uploads = files.map(({ fieldname, originalname, mimetype, buffer }): Part => {
    const file = new Upload(originalname, mimetype)
    file.add(buffer)
    return [fieldname, file]
  })
  return [...texts, ...uploads]
}

function formOf(parts: Part[], { lists, whichCounts }: FormFields): Record<string, unknown> {
  const form = new Map<string, unknown>()
  const seen = new Set<string>()
  for (const [name, value] of parts) {
    if (!lists.has(name)) {
      if (seen.has(name) && whichCounts() === 'first') continue
      seen.add(name)
      if (value === '') form.delete(name)
      else form.set(name, value)
    } else if (value !== '') {
      const list = form.get(name) as unknown[] | undefined
      if (list) list.push(value)
      else form.set(name, [value])
    }
  }
  return Object.fromEntries(form)
}

function refusal(error: Error & { code?: string }, limits: Limits): Refusal {
  if (error instanceof Refusal) return error
  switch (error.code) {
    case 'LIMIT_FILE_COUNT':
      return new Refusal('too-large', { detail: `There are more than ${limits.files} files (limits.upload: files).` })
    case 'LIMIT_FIELD_VALUE':
      return tooLarge('form fields', limits.json, 'json')
    case 'LIMIT_FIELD_COUNT':
    case 'LIMIT_PART_COUNT':
      return unreadable(`Too many fields. Maximum number of fields is ${maxFields}.`)
    default:
      return unreadable('Invalid multipart data.')
  }
}
