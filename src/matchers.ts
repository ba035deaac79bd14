import { type ContractOptions, toHonourContract } from './tools/matchers/honour-contract.js'
import { toHaveNoViolations, type ViolationOptions } from './tools/matchers/no-violations.js'

export type { ContractOptions } from './tools/matchers/honour-contract.js'
export type { ViolationOptions } from './tools/matchers/no-violations.js'
export type { AnyResponse, PlainResponse } from './tools/matchers/response.js'

/** Matchers for Jest and Vitest: `expect.extend(matchers)`. */
export const matchers = { toHonourContract, toHaveNoViolations }
export { toHaveNoViolations, toHonourContract }

export interface ContractMatchers<R = unknown> {
  /**
   * The response matches the contract of its operation: status, media type and body. Takes responses of fetch (then await it),
   * of supertest, or `{method, url, status, body}`. `about`: the operation's id, or the contract.
   */
  toHonourContract(about?: string | ContractOptions): R | Promise<R>
  /**
   * All requests to the mock, or to one sandbox, followed the contract. Requests that were refused with 422 count as
   * violations; `{refused: 'allowed'}` ignores them.
   */
  toHaveNoViolations(options?: ViolationOptions): R
}

// The global expect of Jest; Vitest's uses the same interface.
declare global {
  namespace jest {
    interface Matchers<R, T> extends ContractMatchers<R> {}
  }
}
// The expect that @jest/globals exports. A comment of this form stays in the declarations.
// biome-ignore lint/suspicious/noTsIgnore: there is an error only where Jest is not installed
/** @ts-ignore: an error only where Jest is not installed */
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> extends ContractMatchers<R> {}
}

const { expect } = globalThis as { expect?: { extend?(matchers: object): void } }
expect?.extend?.(matchers)
