import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Scenario } from '../../contract/types.gen.js'
import type { Edition } from '../../mock/ledger/edition.js'
import type { Sandboxes } from '../../mock/sandbox/sandboxes.js'
import type { UploadBudget } from '../../serve/body/upload-budget.js'
import type { SandboxHandle } from './sandbox-handle.js'
import type { StartOverrides } from './start-overrides.js'

/** A mock without a listener. */
export interface Mock {
  /** The Express app: for supertest, or to mount in another app. */
  app: App
  /** The same answers for a node:http server, without Express on the way of what the interface documents. */
  listener: (request: IncomingMessage, response: ServerResponse) => void
  /**
   * The same answers in process, without a port. Rejects with a TypeError where a fault breaks the connection, and after
   * `close()`. The host in the address may be any. Redirects are answers: nobody follows them.
   */
  fetch: (input: Request | string | URL, init?: RequestInit) => Promise<Response>
  /** A sandbox by its name, made from the start when it is first used. Default: the sandbox `default`. */
  sandbox(name?: string): SandboxHandle
  /** Resolves once the `scenario` of the options was played: all requests wait for it. Rejects where that failed. */
  readonly ready: Promise<void>
  /** Back to the start: the default sandbox as if nothing had been, all others dropped. */
  reset(): Promise<void>
  /** Ends streams of events, and lets go of all that the mock holds. */
  close(): Promise<void>
}

/** An Express app, without the types of Express. */
export interface App {
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void
  listen(port?: number, listening?: () => void): Server
}

/** A mock with its inside, for those who put it on a port. */
export interface OpenMock extends Mock {
  sandboxes: Sandboxes
  /** Milliseconds since 1970. */
  realTime: () => number
  /** What the bodies of all requests hold. */
  uploads: UploadBudget
  /** The contracts, ledger and fixtures in force. */
  readonly edition: Edition
  /** Puts others in their place. Rows, clocks and journals stay as they are. */
  adopt(edition: Edition): void
  /** The scenarios that can be played by name. */
  readonly scenarios: ReadonlyMap<string, Scenario>
  takeUpOverrides: StartOverrides['takeUp']
  /** What is being answered ends after the streams of events, and before the data folder is closed. */
  close(drain?: () => Promise<void>): Promise<void>
}
