import { isObject, type Json, type JsonObject } from '../contract/load.js'
import type { Call } from './rule.js'

/**
 * A body that an API's document takes: if rows do not give one, that with generated values in the fields that do not fit, or a
 * generated one with their fields as far as they fit.
 */
export function valid({ contract, operation, sandbox }: Call, status: number, body: Json): Json {
  const problemsOf = (it: Json) => contract.checkReply(operation, status, it, new Set())
  const isValid = (it: Json) => problemsOf(it).length === 0
  if (!contract.api.document || isValid(body)) return body
  const sample = contract.sampleOf(operation, status, sandbox.ids.seed)
  if (!isValid(sample)) return body
  return repaired(body, sample, problemsOf) ?? filled(sample, isObject(body) ? body : {}, isValid)
}

/** A body with values of a generated one in the fields that do not fit, or without these. Undefined: it does not fit then. */
function repaired(body: Json, sample: Json, problemsOf: (value: Json) => string[]): Json | undefined {
  const result = JSON.parse(JSON.stringify(body)) as Json
  const isPlace = (step: string) => /^\d+$/.test(step)
  const at = (value: Json, steps: string[]) =>
    steps.reduce<Json | undefined>((it, step) => (it as JsonObject | undefined)?.[step], value)
  for (let attempt = 0; attempt < 3; attempt++) {
    const problems = problemsOf(result)
    if (problems.length === 0) return result
    for (const problem of problems) {
      const missing = problem.split(" required property '")[1]?.slice(0, -1)
      const steps = [...(problem.split(' ')[0] as string).split('/').slice(1), ...(missing ? [missing] : [])]
      const field = steps.findLastIndex((it) => !isPlace(it))
      const above = steps.slice(0, field)
      const firsts = above.map((it) => (isPlace(it) ? '0' : it))
      const [holder, other] = [at(result, above), at(sample, firsts)]
      const name = steps[field] as string
      if (!isObject(holder)) continue
      if (attempt === 0 && isObject(other) && Object.hasOwn(other, name)) holder[name] = other[name] as Json
      else delete holder[name]
    }
  }
  return undefined
}

/** A value with these fields, at any depth, and without those that are undefined, where its schema takes that. */
export function filled(value: Json, fields: Record<string, Json | undefined>, isValid: (value: Json) => boolean): Json {
  if (!isObject(value)) return value
  let result = value
  const put = (name: string, item: Json | undefined) => {
    const { [name]: _, ...rest } = result
    const next = item === undefined ? rest : { ...result, [name]: item }
    if (isValid(next)) result = next
  }
  for (const [name, item] of Object.entries(value)) {
    if (Object.hasOwn(fields, name)) put(name, fields[name])
    else if (isObject(item))
      put(
        name,
        filled(item, fields, (it) => isValid({ ...result, [name]: it }))
      )
  }
  return result
}
