import type { Choices } from '../load.js'
import type { InputError } from '../model.js'

/**
 * The body of a 422 (2.16). Its items have the words of pydantic 1 or 2, with `input` and `ctx` if the operation's items have
 * them. Or all of them are in one line.
 */
export function validationError(
  problems: InputError[],
  choices: Choices,
  chat: boolean
): { detail: object[] } | { status_code: 422; message: string; data: null } {
  const isOld = choices['errors.validation-dialect'] === 'pydantic-1'
  const worded = isOld ? problems.map(inPydantic1) : problems
  if (choices['errors.validation-body'] === 'message') {
    const lines = worded.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
    const count = lines.length === 1 ? '1 validation error' : `${lines.length} validation errors`
    return { status_code: 422, message: `${count}: ${lines.join('; ')}`, data: null }
  }
  const carries = choices['errors.input-and-ctx']
  return {
    detail: worded.map(({ type, loc, msg, input, ctx }) => {
      if (carries === 'always') return { type, loc, msg, input, ...(ctx && { ctx }) }
      return chat ? { type, loc, msg, input, ctx: ctx ?? {} } : { type, loc, msg }
    })
  }
}

/** Translates type and msg to pydantic 1. Types that pydantic 1 does not have stay the same. */
function inPydantic1(problem: InputError): InputError {
  const words = pydantic1[problem.type]
  return words ? { ...problem, type: words.type, msg: words.msg(problem) } : problem
}

const integer = { type: 'type_error.integer', msg: () => 'value is not a valid integer' }
const float = { type: 'type_error.float', msg: () => 'value is not a valid float' }
const boolean = { type: 'type_error.bool', msg: () => 'value could not be parsed to a boolean' }
const datetime = { type: 'value_error.datetime', msg: () => 'invalid datetime format' }
const dictionary = { type: 'type_error.dict', msg: () => 'value is not a valid dict' }

const pydantic1: Record<string, { type: string; msg: (problem: InputError) => string }> = {
  missing: { type: 'value_error.missing', msg: () => 'field required' },
  json_invalid: { type: 'value_error.jsondecode', msg: ({ ctx }) => String(ctx?.error) },
  int_parsing: integer,
  int_type: integer,
  int_from_float: integer,
  float_parsing: float,
  float_type: float,
  bool_parsing: boolean,
  bool_type: boolean,
  string_type: { type: 'type_error.str', msg: () => 'str type expected' },
  uuid_parsing: { type: 'type_error.uuid', msg: () => 'value is not a valid uuid' },
  uuid_type: { type: 'type_error.uuid', msg: () => 'value is not a valid uuid' },
  datetime_parsing: datetime,
  datetime_from_date_parsing: datetime,
  datetime_type: datetime,
  list_type: { type: 'type_error.list', msg: () => 'value is not a valid list' },
  dict_type: dictionary,
  model_attributes_type: dictionary,
  enum: {
    type: 'type_error.enum',
    msg: ({ ctx }) =>
      `value is not a valid enumeration member; permitted: ${String(ctx?.expected).replace(/ or (?='[^']*'$)/, ', ')}`
  },
  too_short: {
    type: 'value_error.list.min_items',
    msg: ({ ctx }) => `ensure this value has at least ${ctx?.min_length} items`
  },
  string_too_long: {
    type: 'value_error.any_str.max_length',
    msg: ({ ctx }) => `ensure this value has at most ${ctx?.max_length} characters`
  },
  greater_than_equal: {
    type: 'value_error.number.not_ge',
    msg: ({ ctx }) => `ensure this value is greater than or equal to ${ctx?.ge}`
  },
  less_than_equal: {
    type: 'value_error.number.not_le',
    msg: ({ ctx }) => `ensure this value is less than or equal to ${ctx?.le}`
  },
  extra_forbidden: { type: 'value_error.extra', msg: () => 'extra fields not permitted' },
  value_error: { type: 'value_error', msg: ({ msg }) => msg.replace(/^Value error, /, '') }
}
