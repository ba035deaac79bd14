import { z } from 'zod'
import type { Shape } from './http.js'
import type { Service } from './state.js'

/** What is not checked, but read as a number where it is one. */
const anyOfPath = z.any().transform((text) => (/^-?\d+$/.test(text) ? Number(text) : text))

/** The fields of one part of an operation's input, as the switches have them checked. */
export function checkedFields(service: Service, id: string, fields: Shape, part = ''): Shape {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => {
      const is = (kind: string) => service.has(`unchecked ${id} ${part}${name}${kind}`)
      if (is('')) return [name, part === '' ? z.any() : anyOfPath]
      if (is('[]')) return [name, z.array(z.any()).optional()]
      if (is('.min')) return [name, z.array(z.string())]
      return [name, schema]
    })
  )
}
