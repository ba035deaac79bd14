import {
  type BrowserOptions,
  createBrowserMock,
  type KeptOptions,
  openBrowserMock
} from './doors/browser/browser-mock.js'
import type { FetchMock } from './doors/program/open-mock.js'

export type { BrowserOptions, KeptOptions } from './doors/browser/browser-mock.js'
export { openSite, type Site } from './doors/browser/browser-mock.js'
export type { FetchMock } from './doors/program/open-mock.js'

/** Creates a mock in a page, a worker or at the edge. Throws an Error that names the valid values if an option is wrong. */
export function createMock(options: BrowserOptions = {}): FetchMock {
  return createBrowserMock(options)
}

/** The same with a state that is kept in IndexedDB, under the name `data`. */
export function openMock(options: KeptOptions = {}): Promise<FetchMock> {
  return openBrowserMock(options)
}
