import type { FastifyRequest } from 'fastify'
import { invalid, Refused } from './refused.js'
import type { Service } from './state.js'

/** A body that cannot be read. */
function unreadable(id: string, msg: string): Refused {
  const item = { loc: ['body'], msg, type: 'unreadable' }
  return invalid(id === 'E1' ? { ...item, input: null, ctx: { reason: msg } } : item)
}

function wrongType(service: Service, id: string): Refused {
  if (service.chose('type-422')) return unreadable(id, 'The body has another type.')
  const status = service.chose('type-400') ? 400 : 415
  return new Refused(status, { error: { code: 'media_type', text: 'Send another content type.' } })
}

/** The JSON body of a request; undefined where there is none. */
export function readJson(service: Service, id: string, request: FastifyRequest): unknown {
  const bytes = request.body as Buffer | undefined
  if (!bytes || bytes.length === 0) return undefined
  const isJson = /^application\/([\w.-]+\+)?json\b/i.test(request.headers['content-type'] ?? '')
  if (!isJson && !service.chose('any-type')) throw wrongType(service, id)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    if (service.chose('not-json-400')) throw new Refused(400, { error: { code: 'syntax', text: 'Send JSON.' } })
    throw unreadable(id, 'The body is no JSON.')
  }
}

/** The fields of a form: a text, a file, or a list of files where there are several. */
export async function readForm(service: Service, id: string, request: FastifyRequest): Promise<unknown> {
  const bytes = request.body as Buffer | undefined
  const type = request.headers['content-type'] ?? ''
  if (!bytes || bytes.length === 0) return {}
  if (!/^multipart\/form-data\b/i.test(type)) throw wrongType(service, id)
  try {
    const form = await new Response(Uint8Array.from(bytes), { headers: { 'content-type': type } }).formData()
    const fields: Record<string, unknown> = {}
    for (const name of new Set(form.keys())) {
      const values = form.getAll(name)
      fields[name] = values.length === 1 ? values[0] : values
    }
    return fields
  } catch {
    throw unreadable(id, 'The form cannot be read.')
  }
}
