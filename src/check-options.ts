import { didYouMean } from './contract/nearest.js'
import type { ServerOptions } from './server.js'
import type { VerifyOptions } from './verify/verify.js'

/** A name for every field: one that is missing here does not compile. */
type Names<Options> = Record<keyof Options, true>

const ofMocks: Names<ServerOptions> = {
  allowHost: true,
  assume: true,
  auth: true,
  contracts: true,
  control: true,
  controlToken: true,
  cookieSecret: true,
  corsOrigin: true,
  data: true,
  fixtures: true,
  headersTimeout: true,
  host: true,
  journalBytes: true,
  journalEntries: true,
  keepAliveTimeout: true,
  lingerBytes: true,
  lingerTimeout: true,
  log: true,
  maxConnections: true,
  maxDelay: true,
  maxHeaderBytes: true,
  maxHeaders: true,
  maxJsonValues: true,
  maxSandboxBytes: true,
  maxSandboxes: true,
  maxUnanswered: true,
  maxUploadBytes: true,
  now: true,
  onExchange: true,
  onProblem: true,
  onReload: true,
  port: true,
  portFile: true,
  profile: true,
  public: true,
  rateLimit: true,
  requestTimeout: true,
  resetEvery: true,
  sandboxIdle: true,
  scale: true,
  seed: true,
  shutdownTimeout: true,
  strict: true,
  sync: true,
  trustProxy: true,
  upstream: true,
  watch: true
}

const ofVerify: Names<VerifyOptions> = {
  assume: true,
  cases: true,
  concurrency: true,
  disposable: true,
  headers: true,
  known: true,
  mutating: true,
  onCheck: true,
  operations: true,
  profile: true,
  seed: true,
  timeout: true,
  token: true,
  url: true,
  userToken: true
}

/** Throws an Error that names an option which a mock does not have, and the nearest one. */
export const checkMockOptions = (options: object) => checkNames(options, Object.keys(ofMocks))

/** The same for `verify`. */
export const checkVerifyOptions = (options: object) => checkNames(options, Object.keys(ofVerify))

function checkNames(options: object, known: string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`There is no option ${unknown}. ${didYouMean(unknown, known)}`)
}
