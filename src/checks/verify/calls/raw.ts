import type { Operation } from '../../../contract/contract.js'
import { isObject, type JsonObject } from '../../../contract/load.js'
import type { RawInput } from '../../../contract/validation/validate.js'
import type { Input } from './request.js'

/** An input as a server reads it: parts of the address are texts, and embedded parameters and forms have fields. */
export function rawOf({ form, input }: Operation, { path = {}, query = {}, body }: Input): RawInput {
  const hasFields = form || input.body?.['x-embedded'] === true
  const fields = isObject(body) ? body : {}
  const texts = (values: JsonObject) => Object.fromEntries(Object.entries(values).map(([k, v]) => [k, String(v)]))
  return { path: texts(path), query: texts(query), body: form ? formOf(input, fields) : hasFields ? fields : body }
}

/** The fields of a form: a repeated part is a list, and a file is bytes. */
function formOf({ body }: Operation['input'], fields: JsonObject): Record<string, unknown> {
  const properties = (body?.properties ?? {}) as Record<string, JsonObject>
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const values = [value].flat().map((item) => (isObject(item) ? { bytes: new Uint8Array() } : item))
      return [name, properties[name]?.type === 'array' ? values : values[0]]
    })
  )
}
