import type { FastifyRequest } from 'fastify'
import { invalid, Refused } from './refused.js'
import type { Service } from './state.js'

const unsupported = () => new Refused(415, { error: { code: 'media_type', text: 'Send another content type.' } })

/** The JSON body of a request; undefined where there is none. */
export function readJson(_service: Service, id: string, request: FastifyRequest): unknown {
  const bytes = request.body as Buffer | undefined
  const isChat = id === 'E1'
  if (!bytes || bytes.length === 0) return undefined
  if (!/^application\/([\w.-]+\+)?json\b/i.test(request.headers['content-type'] ?? '')) throw unsupported()
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    const item = { loc: ['body'], msg: 'The body is no JSON.', type: 'not_json' }
    throw invalid(isChat ? { ...item, input: null, ctx: { reason: 'syntax' } } : item)
  }
}

/** The fields of a form: a text, a file, or a list of files where there are several. */
export async function readForm(request: FastifyRequest): Promise<unknown> {
  const bytes = request.body as Buffer | undefined
  const type = request.headers['content-type'] ?? ''
  if (!bytes || bytes.length === 0) return {}
  if (!/^multipart\/form-data\b/i.test(type)) throw unsupported()
  try {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
    const fields: Record<string, unknown> = {}
    for (const name of new Set(form.keys())) {
      const values = form.getAll(name)
      fields[name] = values.length === 1 ? values[0] : values
    }
    return fields
  } catch {
    throw invalid({ loc: ['body'], msg: 'The form cannot be read.', type: 'not_a_form' })
  }
}
