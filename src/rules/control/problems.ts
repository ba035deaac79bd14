import type { Problem } from '../../contract/pydantic/explain.js'

/** One wrong place of a control request: where, what is wrong, and what it may be. */
export function wrong(loc: Problem['loc'], msg: string, allowed?: readonly string[]): Problem {
  return { type: 'value_error', loc, msg, input: null, ...(allowed && { ctx: { allowed: [...allowed] } }) }
}
