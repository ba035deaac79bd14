import type { ErrorObject, ValidateFunction } from 'ajv'
import { inTime } from './patterns.js'

type ValidateArguments = Parameters<ValidateFunction>
type Errors = ErrorObject[] | null

/**
 * The results of recursive schemas during one check. Without them, a value of n levels whose every level matches two
 * branches is validated 2^n times.
 */
export class Memory {
  private readonly results = new Map<unknown, Map<ValidateFunction, Errors>>()

  /** A validator that remembers its results. */
  of(validator: ValidateFunction): ValidateFunction {
    return wrapped(validator, (self, given) => this.resultOf(validator, self, given))
  }

  /** A validator that begins each check with no results, and ends it in time. */
  around(validator: ValidateFunction): ValidateFunction {
    return wrapped(validator, (self, given) => {
      this.results.clear()
      return inTime(() => errorsOf(validator, self, given))
    })
  }

  private resultOf(validator: ValidateFunction, self: unknown, given: ValidateArguments): Errors {
    const [value] = given
    if (typeof value !== 'object' || value === null) return errorsOf(validator, self, given)
    const results = this.results.get(value) ?? new Map<ValidateFunction, Errors>()
    this.results.set(value, results)
    const known = results.get(validator)
    // The first result has told all errors already.
    if (known !== undefined) return known?.slice(-1) ?? null
    const errors = errorsOf(validator, self, given)
    // ajv adds other errors to the list that it gets.
    results.set(validator, errors?.slice(-1) ?? null)
    return errors
  }
}

function errorsOf(validator: ValidateFunction, self: unknown, given: ValidateArguments): Errors {
  return validator.apply(self as never, given) ? null : (validator.errors ?? [])
}

/** A validator in the place of another. */
function wrapped(
  validator: ValidateFunction,
  check: (self: unknown, given: ValidateArguments) => Errors
): ValidateFunction {
  const result = function (this: unknown, ...given: ValidateArguments): boolean {
    const errors = check(this, given)
    result.errors = errors
    return errors === null
  } as ValidateFunction
  return Object.assign(result, validator, { errors: null })
}
