import { isObject, type Json, type JsonObject } from '../contract/load.js'
import type { Call } from './rule.js'

/** A body that an API's document takes: if rows do not give one, a generated one, with their fields as far as they fit. */
export function valid({ contract, operation, sandbox }: Call, status: number, body: Json): Json {
  const holds = (it: Json) => contract.checkReply(operation, status, it, new Set()).length === 0
  if (!contract.api.document || holds(body)) return body
  const made = contract.sampleOf(operation, status, sandbox.ids.seed)
  return holds(made) ? filled(made, isObject(body) ? body : {}, holds) : body
}

/** A value with these fields, at any depth, where its schema takes them. */
export function filled(value: Json, fields: JsonObject, holds: (value: Json) => boolean): Json {
  if (!isObject(value)) return value
  let result = value
  const put = (name: string, item: Json) => {
    const next = { ...result, [name]: item }
    if (holds(next)) result = next
  }
  for (const [name, item] of Object.entries(value)) {
    if (Object.hasOwn(fields, name)) put(name, fields[name] as Json)
    else if (isObject(item))
      put(
        name,
        filled(item, fields, (it) => holds({ ...result, [name]: it }))
      )
  }
  return result
}
