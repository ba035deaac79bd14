import type { MockOptions } from './doors/options/mock-table.js'
import type { ServerOptions } from './doors/options/table.js'
import type { VerifyOptions } from './doors/program/handle/verify.js'
import { createMock as createOpen, type Mock } from './doors/program/mock.js'
import type { RunningMock } from './doors/program/open-mock.js'
import type { VerifyResult } from './tools/verify/verify.js'

export type { FixtureSet } from '../fixtures/index.js'
export type { ApiDefinition, ApiUser, ApiUserFields } from './apis/document/api.js'
export type { components, paths } from './apis/knowledge-chat/paths.gen.js'
export type { OperationId } from './apis/knowledge-chat/rules/rule.js'
export type * from './apis/knowledge-chat/types.gen.js'
export type { Assumptions, Operations, Reason } from './apis/knowledge-chat/types.gen.js'
export { defineApi, defineConfig, type Rules } from './define.js'
export type { MockOptions } from './doors/options/mock-table.js'
export type { ConfigOptions, OpenapiOptions, ServerOptions } from './doors/options/table.js'
export type { OverrideHandle, SandboxClock, SandboxHandle } from './doors/program/handle/sandbox-handle.js'
export type { VerifyOptions } from './doors/program/handle/verify.js'
export type { App, Mock } from './doors/program/mock.js'
export type { RunningMock } from './doors/program/open-mock.js'
export { openapi } from './doors/program/openapi.js'
export type { Context as RuleContext } from './engine/api.js'
export type * from './engine/contract/types.gen.js'
export type { FixturesFrom } from './engine/sandbox/starts.js'
export { ProblemError } from './engine/serve/problem.js'
export { Unreachable } from './tools/verify/calls/patience.js'
export type { Answer, CheckResult, Finding, NotChecked } from './tools/verify/results.js'
export type { VerifyResult } from './tools/verify/verify.js'

/** Creates a mock without a listener. Throws an Error that names the valid values if an option is wrong. */
export function createMock(options: MockOptions = {}): Mock {
  return createOpen(options)
}

/**
 * Starts a mock on a port. Rejects with an Error that names the valid values if an option is wrong, and with the listener's
 * error (EADDRINUSE, EADDRNOTAVAIL) if it cannot listen.
 */
export async function startMock(options: ServerOptions = {}): Promise<RunningMock> {
  // The parts of a listener are loaded only for it.
  return (await import('./doors/program/server.js')).startMock(options)
}

/**
 * Tests a server against the contracts. Rejects with Unreachable if no server of this interface answers, and with an Error that
 * names the valid values if an option is wrong.
 */
export async function verify(options: VerifyOptions): Promise<VerifyResult> {
  // Its checks are loaded on first use.
  return (await import('./doors/program/handle/verify.js')).verify(options)
}
