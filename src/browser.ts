import { type BrowserOptions, createBrowserMock } from './doors/browser/browser-mock.js'
import type { FetchMock } from './doors/program/open-mock.js'

export type { BrowserOptions } from './doors/browser/browser-mock.js'
export type { FetchMock } from './doors/program/open-mock.js'

/** Makes a mock in a page, a worker or at the edge. Throws an Error that names the good values when an option is wrong. */
export function createMock(options: BrowserOptions = {}): FetchMock {
  return createBrowserMock(options)
}
