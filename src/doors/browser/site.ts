import { addFiles } from '../../browser/fs.js'
import { addPackages } from '../../engine/contract/bundled.js'
import type { FetchMock } from '../program/open-mock.js'
import { type KeptOptions, openWorkerMock } from './browser-mock.js'

/** What `knowledge-chat-mock static` writes for its worker. */
export interface Site {
  options: KeptOptions
  /** The address that the mock is mounted at, without a trailing slash. */
  mount: string
  /** Files that options name, by their paths. */
  files: Record<string, string>
  /** The exports of the user's own modules, by path. */
  modules: Record<string, unknown>
  /** Packages that only the user's own endpoints need. */
  packages: Record<string, unknown>
}

/** Opens the mock of a static site. */
export function openSite({ options, mount, files, modules, packages }: Site): Promise<FetchMock> {
  addFiles(files)
  addPackages(packages)
  return openWorkerMock(options, { mount, load: (file) => modules[file] })
}
