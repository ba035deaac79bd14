import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Scenario } from '../../engine/contract/types.gen.js'
import type { Edition } from '../../engine/ledger/edition.js'
import type { Sandboxes } from '../../engine/sandbox/sandboxes.js'
import type { UploadBudget } from '../../engine/serve/body/limits.js'
import type { Request as Asked } from '../../engine/serve/message/message.js'
import type { Part, Serve } from '../../engine/serve/steps.js'
import type { Agents } from '../mcp/agents.js'
import type { SandboxDatabase, SandboxHandle } from './handle/sandbox-handle.js'

/** A mock for requests in process. */
export interface FetchMock {
  /**
   * The same answers in process, without a port. Rejects with a TypeError if a fault breaks the connection, and after
   * `close()`. The address may have any host. Redirects are returned, not followed.
   */
  fetch: (input: Request | string | URL, init?: RequestInit) => Promise<Response>
  /** A sandbox by its name. It is created on first use. Default: the sandbox `default`. */
  sandbox(name?: string): SandboxHandle
  /** The sandbox `default` as a lowdb database. */
  readonly db: SandboxDatabase
  /**
   * Resolves once the initial rows are created and the option `scenario` has been played. Requests wait for it. Rejects if the
   * scenario failed.
   */
  readonly ready: Promise<void>
  /** Resets the default sandbox and drops all others. */
  reset(): Promise<void>
  /** Ends event streams and releases all resources. */
  close(): Promise<void>
}

/** A mock without a listener. */
export interface Mock extends FetchMock {
  /** The Express app, for supertest or to mount in another app. Routes that you add to it answer the other paths. */
  app: App
  /** The same answers for a node:http server. Documented operations are answered without Express's router. */
  listener: (request: IncomingMessage, response: ServerResponse) => void
}

type Methods = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'options' | 'head' | 'all' | 'use'

/** An Express app, without Express's types, which a project may not have. */
export interface App extends Record<Methods, Adds>, Record<'set' | 'param' | 'route' | 'engine' | 'render', AddsAny> {
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): void
  listen(port?: number, listening?: () => void): Server
  router: { stack: { name: string; route?: { path: string } | undefined }[] }
}

/** Handlers with the parts of Express's request and response that most of them use; and anything else that Express takes. */
interface Adds {
  (path: string, ...handlers: Handler[]): App
  (...handlers: Handler[]): App
  // biome-ignore lint/suspicious/noExplicitAny: handlers of errors, routers and paths of whatever version of Express
  (...added: any[]): any
}

// biome-ignore lint/suspicious/noExplicitAny: as above
type AddsAny = (...added: any[]) => any

type Next = (error?: unknown) => void
type Handler = (request: AppRequest, response: AppResponse, next: Next) => unknown

export interface AppRequest extends IncomingMessage {
  params: Record<string, string>
  query: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: what a parser has made
  body: any
  path: string
  originalUrl: string
  get(header: string): string | undefined
}

export interface AppResponse extends ServerResponse {
  status(code: number): this
  set(header: string, value: string): this
  json(body: unknown): this
  send(body?: unknown): this
  redirect(url: string): void
  redirect(status: number, url: string): void
}

/** A mock that listens. */
export interface RunningMock extends Mock {
  /** Its base address, such as http://127.0.0.1:4010. */
  url: string
  /** Accepts no more requests, finishes those in progress, saves the state and closes. */
  close(): Promise<void>
}

/** A mock with its internals, for code that adds doors to it. */
export interface CoreMock extends FetchMock {
  serve: Serve
  /** The part of the mock that answers a request. Undefined: none does. */
  partOf: (request: Asked) => Part | undefined
  report: (text: string) => void
  sandboxes: Sandboxes
  /** The sessions of agents. Undefined in a browser. */
  agents?: Agents | undefined
  /** Milliseconds since 1970. */
  realTime: () => number
  uploads: UploadBudget
  /** Creates the initial rows in steps, so that no request has to create them at once. */
  prepare(): Promise<void>
  /** The contracts, ledger and fixtures in force. */
  readonly edition: Edition
  /** Replaces contracts, ledger and fixtures. Rows, clocks and journals stay the same. */
  adopt(edition: Edition): void
  readonly scenarios: ReadonlyMap<string, Scenario>
  /** Reads the file of overrides again and updates all sandboxes. Returns their number. Throws an Error if one is wrong. */
  takeUpOverrides(): number
  /** Reads and plays the option `scenario` again, for sandboxes that start later. Rejects if that fails. */
  playStartAgain(): Promise<void>
  /** `drain` runs after event streams end and before the data folder is closed. */
  close(drain?: () => Promise<void>): Promise<void>
}

/** A mock with its internals and Node's doors, for code that puts it on a port. */
export interface OpenMock extends CoreMock, Mock {
  agents: Agents
  close: CoreMock['close']
}
