import type { Mock } from './mock.js'
import { createMock as createOpen } from './mock.js'
import type { MockOptions, ServerOptions } from './options/table.js'
import type { RunningMock } from './server.js'
import { startMock as startOpen } from './server.js'

export type { FixtureSet } from '../fixtures/index.js'
export type { components, paths } from './contract/paths.gen.js'
export type * from './contract/types.gen.js'
export type { App, Mock } from './mock.js'
export { openapi } from './openapi.js'
export type { MockOptions, OpenapiOptions, ServerOptions } from './options/table.js'
export type { OperationId } from './rules/rule.js'
export type { OverrideHandle, SandboxClock, SandboxHandle } from './sandbox-handle.js'
export { ProblemError } from './serve/problem.js'
export type { RunningMock } from './server.js'
export { Unreachable } from './verify/client.js'
export type { Answer, CheckResult, Finding, NotChecked } from './verify/record.js'
export { type VerifyOptions, type VerifyResult, verify } from './verify/verify.js'

/** Makes a mock without a listener. Throws an Error that names the good values when an option is wrong. */
export function createMock(options: MockOptions = {}): Mock {
  return createOpen(options)
}

/**
 * Starts a mock on a port. Rejects with an Error that names the good values when an option is wrong, and with the
 * listener's own error (EADDRINUSE, EADDRNOTAVAIL) when it cannot listen.
 */
export function startMock(options: ServerOptions = {}): Promise<RunningMock> {
  return startOpen(options)
}
