import { checkNames } from '../../contract/nearest.js'
import { type MockOptions, mockTable } from '../options/table.js'
import { createCore } from '../program/core.js'
import type { CoreMock } from '../program/open-mock.js'

/** What needs a server, or files of one. */
const ofServers = ['contracts', 'fallback', 'public', 'cookieSecret', 'rateLimit', 'trustProxy'] as const

export type BrowserOptions = Omit<MockOptions, (typeof ofServers)[number]>

export function createBrowserMock(options: BrowserOptions = {}): CoreMock {
  const known = Object.keys(mockTable).filter((name) => !(ofServers as readonly string[]).includes(name))
  checkNames(options, known)
  return createCore(options)
}
