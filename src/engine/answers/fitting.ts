import { isObject, type Json, type JsonObject } from '../contract/load.js'
import type { Call } from './rule.js'

/** A body that an API's document takes: if rows do not give one, a generated one, with their fields as far as they fit. */
export function valid({ contract, operation, sandbox }: Call, status: number, body: Json): Json {
  const isValid = (it: Json) => contract.checkReply(operation, status, it, new Set()).length === 0
  if (!contract.api.document || isValid(body)) return body
  const made = contract.sampleOf(operation, status, sandbox.ids.seed)
  return isValid(made) ? filled(made, isObject(body) ? body : {}, isValid) : body
}

/** A value with these fields, at any depth, where its schema takes them. */
export function filled(value: Json, fields: JsonObject, isValid: (value: Json) => boolean): Json {
  if (!isObject(value)) return value
  let result = value
  const put = (name: string, item: Json) => {
    const next = { ...result, [name]: item }
    if (isValid(next)) result = next
  }
  for (const [name, item] of Object.entries(value)) {
    if (Object.hasOwn(fields, name)) put(name, fields[name] as Json)
    else if (isObject(item))
      put(
        name,
        filled(item, fields, (it) => isValid({ ...result, [name]: it }))
      )
  }
  return result
}
