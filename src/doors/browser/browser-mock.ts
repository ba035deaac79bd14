import { addFiles } from '../../browser/fs.js'
import { addPackages } from '../../engine/contract/bundled.js'
import { checkNames } from '../../engine/contract/nearest.js'
import { Edge } from '../../engine/keep/edge.js'
import { Indexed } from '../../engine/keep/indexed.js'
import { type MockOptions, mockTable } from '../options/mock-table.js'
import { settle } from '../options/option.js'
import { createCore } from '../program/core.js'
import { stateOptions } from '../program/data.js'
import type { Host } from '../program/host.js'
import type { CoreMock, FetchMock } from '../program/open-mock.js'
import { pageCookies } from './cookies.js'

/** The options of a server. */
const ofServers = ['contracts', 'fallback', 'public', 'cookieSecret', 'rateLimit', 'trustProxy'] as const

export type BrowserOptions = Omit<MockOptions, (typeof ofServers)[number]>

/** With `data`, the name of a database, the state survives the page or worker. */
export interface KeptOptions extends BrowserOptions {
  data?: string
}

export function createBrowserMock(options: BrowserOptions = {}, host: Host = {}): CoreMock {
  const names = Object.keys(mockTable).filter((name) => !(ofServers as readonly string[]).includes(name))
  checkNames(options, names)
  return createCore(options, { cookies: pageCookies(), ...host })
}

export async function openBrowserMock({ data, ...options }: KeptOptions, host: Host = {}): Promise<CoreMock> {
  if (data === undefined) return createBrowserMock(options, host)
  const state = stateOptions({ ...settle(mockTable, options), sync: 'never' }, host.load)
  const edge = await Edge.keptIn(() => Indexed.open(data), state)
  const mock = createBrowserMock(options, { ...host, edge })
  await mock.ready
  return mock
}

/** The same for a worker: afresh if the state no longer fits, and in memory if the browser stores none. */
export async function openWorkerMock(options: KeptOptions, host: Host): Promise<CoreMock> {
  const { data, ...rest } = options
  if (data === undefined) return openBrowserMock(rest, host)
  const tryAgain = (next: () => Promise<CoreMock>) => (error: Error) => {
    if (error.message.startsWith('Another page')) throw error
    return next()
  }
  const inMemory = () => openBrowserMock(rest, host)
  const anew = async () => {
    await Indexed.drop(data).catch(() => {})
    return openBrowserMock(options, host).catch(tryAgain(inMemory))
  }
  return openBrowserMock(options, host).catch(tryAgain(anew))
}

/** What `knowledge-chat-mock static` writes for its worker. */
export interface Site {
  options: KeptOptions
  /** The address that the mock is mounted at, without a trailing slash. */
  mount: string
  files: Record<string, string>
  /** The exports of the user's own modules, by path. */
  modules: Record<string, unknown>
  /** Packages that only the user's own endpoints need. */
  packages: Record<string, unknown>
}

export function openSite({ options, mount, files, modules, packages }: Site): Promise<FetchMock> {
  addFiles(files)
  addPackages(packages)
  return openWorkerMock(options, { mount, load: (file) => modules[file] })
}
