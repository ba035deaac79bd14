import type { InputError } from '../../contract/pydantic/explain.js'

/** One wrong place of a control request: where, what is wrong, and what it may be. */
export function wrong(loc: InputError['loc'], msg: string, allowed?: readonly string[]): InputError {
  return { type: 'value_error', loc, msg, input: null, ...(allowed && { ctx: { allowed: [...allowed] } }) }
}
