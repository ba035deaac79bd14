import type { InputError } from '../../contract/pydantic/explain.js'

/** One wrong field of a control request: its place, the error and its good values. */
export function wrong(loc: InputError['loc'], msg: string, allowed?: readonly string[]): InputError {
  return { type: 'value_error', loc, msg, input: null, ...(allowed && { ctx: { allowed: [...allowed] } }) }
}
