import type { Operation } from '../../../contract/contract.js'
import { isObject, type JsonObject } from '../../../contract/load.js'
import type { RawInput } from '../../../contract/validation/validate.js'
import type { Input } from './request.js'

/** An input as a server reads it: what stands in the address is text; one embedded parameter, and forms, have fields. */
export function rawOf({ form, input }: Operation, { path = {}, query = {}, body }: Input): RawInput {
  const hasFields = form || input.body?.['x-embedded'] === true
  const fields = isObject(body) ? body : {}
  const texts = (values: JsonObject) => Object.fromEntries(Object.entries(values).map(([k, v]) => [k, String(v)]))
  return { path: texts(path), query: texts(query), body: form ? formOf(input, fields) : hasFields ? fields : body }
}

/** Fields of a form: a list has as many values as it has parts, and a file is bytes. */
function formOf({ body }: Operation['input'], fields: JsonObject): Record<string, unknown> {
  const properties = (body?.properties ?? {}) as Record<string, JsonObject>
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const values = [value].flat().map((item) => (isObject(item) ? { bytes: new Uint8Array() } : item))
      return [name, properties[name]?.type === 'array' ? values : values[0]]
    })
  )
}
