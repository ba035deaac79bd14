import { z } from 'zod'
import type { Shape } from './http.js'
import type { Service } from './state.js'

/** What is not checked, but read as a number where it is one. */
const anyOfPath = z.any().transform((text) => (/^-?\d+$/.test(text) ? Number(text) : text))

/** One field, as the switches have it checked. */
function checked(service: Service, id: string, name: string, schema: z.ZodType, isPath: boolean): z.ZodType {
  const is = (kind: string) => service.has(`unchecked ${id} ${isPath ? 'path ' : ''}${name}${kind}`)
  if (is('')) return isPath ? anyOfPath : z.any()
  if (is('[]')) return z.array(z.any()).optional()
  if (is('.min')) return z.array(z.string())
  if (service.has(`needed ${id} ${name}`) && schema instanceof z.ZodOptional) return schema.unwrap() as z.ZodType
  if (service.has(`not-needed ${id} ${name}`) || service.has(`no-body ${id}`)) return schema.optional()
  return schema
}

/** The fields of one part of an operation's input, as the switches have them checked. */
export function checkedFields(service: Service, id: string, fields: Shape, part: 'path' | 'query' | 'body'): z.ZodType {
  const shape = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => {
      const field = part === 'query' ? schema : checked(service, id, name, schema, part === 'path')
      const takesNull = part === 'body' && service.chose('nulls-taken') && field instanceof z.ZodOptional
      return [name, takesNull ? z.preprocess((it) => it ?? undefined, field).optional() : field]
    })
  )
  const isClosed = service.chose(part === 'query' ? 'unknown-queries-422' : 'unknown-fields-422')
  const schema = part !== 'path' && isClosed ? z.strictObject(shape) : z.object(shape)
  const isOptional = part === 'body' && service.has(`no-body ${id}`)
  const takesNothing = isOptional || (part === 'body' && service.chose('missing-fields'))
  return takesNothing ? z.preprocess((it) => it ?? {}, schema) : schema
}
