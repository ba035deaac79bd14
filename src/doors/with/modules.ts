import { statSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { lazily } from '../../engine/contract/lazy.js'
import { shown } from '../../engine/contract/load.js'

/** Returns the exports of a module. */
export type ModuleLoader = (file: string) => unknown

/** Loads a module synchronously, for a mock that is created without waiting. */
export const loadNow: ModuleLoader = (file) => {
  try {
    const path = resolve(file)
    delete lazily.cache[path]
    return lazily(path)
  } catch (error) {
    throw wrong(file, error)
  }
}

/** The number of reloads. It is in the URLs of modules, because Node keeps modules by URL. */
let version = 0

/**
 * Loads the current version of modules, even if they were loaded before; with `isReload` also of the files that they
 * import.
 */
export async function loadAll(files: readonly string[], isReload = false): Promise<ModuleLoader> {
  const loaded = new Map<string, unknown>()
  if (files.length === 0) return (file) => loaded.get(file)
  if (isReload) {
    version += 1
    if (version === 1) passVersionsOn()
    for (const file of files) forgetCommonJs(dirname(resolve(file)))
  }
  for (const file of files) {
    const mark = isReload ? `mock=${version}` : statSync(file).mtimeMs
    try {
      loaded.set(file, await import(`${pathToFileURL(resolve(file)).href}?${mark}`))
    } catch (error) {
      throw wrong(file, error)
    }
  }
  return (file) => loaded.get(file)
}

/** CommonJS modules are kept by path. */
function forgetCommonJs(folder: string): void {
  for (const path of Object.keys(lazily.cache)) {
    if (path.startsWith(folder + sep) && !path.includes('node_modules')) delete lazily.cache[path]
  }
}

/** Passes the version of a module to the files that it imports, so that they are loaded again with it. */
function passVersionsOn(): void {
  const { register, registerHooks } = lazily('node:module') as typeof import('node:module') & {
    registerHooks?: (hooks: { resolve: Resolve }) => void
  }
  // Older versions of Node run hooks in a separate thread.
  if (registerHooks)
    registerHooks({ resolve: (...given) => versioned(given[1], given[2](given[0], given[1]) as ResolvedModule) })
  else register(`data:text/javascript,${encodeURIComponent(hooks)}`)
}

interface ResolvedModule {
  url: string
}
type Resolve = (
  specifier: string,
  context: { parentURL?: string },
  next: (specifier: string, context: object) => unknown
) => unknown

function versioned({ parentURL = '' }: { parentURL?: string }, found: ResolvedModule): ResolvedModule {
  const [, version] = /[?]mock=(\d+)$/.exec(parentURL) ?? []
  const isFile = found.url.startsWith('file:') && !found.url.includes('/node_modules/')
  return version !== undefined && isFile ? { ...found, url: `${found.url}?mock=${version}` } : found
}

const hooks = `const versioned = ${versioned}
export const resolve = async (specifier, context, next) => versioned(context, await next(specifier, context))`

function wrong(file: string, error: unknown): Error {
  if ((error as NodeJS.ErrnoException)?.code === 'ERR_REQUIRE_ASYNC_MODULE') {
    return new Error(`${shown(file)} cannot be loaded: it uses await outside of a function`)
  }
  if ((error as NodeJS.ErrnoException)?.code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return new Error(`${shown(file)} cannot be loaded: Node ${process.version} reads no TypeScript, 22.18 and later do`)
  }
  const [first] = String((error as Error)?.stack ?? error).split('\n')
  return new Error(`${placeIn(file, error)} cannot be loaded: ${(error as Error)?.message ?? first}`)
}

/** The file, with the line of a syntax error. The error of an import has no line, but `node --check` gives it. */
function placeIn(file: string, error: unknown): string {
  if ((error as Error)?.name !== 'SyntaxError') return shown(file)
  const { spawnSync } = lazily('node:child_process') as typeof import('node:child_process')
  const [first = ''] = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' }).stderr.split('\n')
  return shown(file) + (/:\d+$/.exec(first)?.[0] ?? '')
}
