import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { lazily } from '../../engine/contract/lazy.js'
import { packageRoot, readJson, shown } from '../../engine/contract/load.js'

/** Returns the exports of a module. */
export type ModuleLoader = (file: string) => unknown

/** The texts of the modules that `loadNow` has loaded. Node loads an ES module once, even if its file has changed. */
const texts = new Map<string, string>()

/** Loads a module synchronously, for a mock that is created without waiting. */
export const loadNow: ModuleLoader = (file) => {
  const path = resolve(file)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const isChanged = (texts.get(path) ?? text) !== text
  texts.set(path, text)
  if (isChanged || isTakenForCommonJs(path)) return byContent(path)
  try {
    delete lazily.cache[path]
    return lazily(path)
  } catch (error) {
    return byContent(path, error)
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
    const path = resolve(file)
    const url = `${pathToFileURL(path).href}?${isReload ? `mock=${version}` : statSync(file).mtimeMs}`
    const usual = () => import(url).catch((error) => byContent(path, error))
    loaded.set(file, isTakenForCommonJs(path) ? byContent(path) : await usual())
  }
  return (file) => loaded.get(file)
}

/** Whether an ES module is CommonJS by the nearest package.json. Node would warn about that, and not load it. */
function isTakenForCommonJs(path: string): boolean {
  let folder = dirname(path)
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder)
  const manifest = join(folder, 'package.json')
  if (!path.endsWith('.js') || !existsSync(manifest) || readJson(manifest).type !== 'commonjs') return false
  try {
    new Script(`(function () {${readFileSync(path, 'utf8')}\n})`)
    return false
  } catch {
    return true
  }
}

const ofOtherKind = / ES module scope| ES Module:|outside a module|token 'export'|file extension "\.[mc]?ts"/

/** A folder of an API needs no node_modules: the mock resolves its own name. */
const ownName = 'knowledge-chat-mock'
const needsOwn = /Cannot find (?:package|module) '?knowledge-chat-mock/
const ownEntry = () => join(packageRoot(), 'dist', 'define.cjs')

/**
 * Loads a module of the kind that its text has. `failure` is the error of Node, which goes by package.json and has no
 * TypeScript in older versions, or of Jest, which cannot require ES modules.
 */
function byContent(path: string, failure?: unknown): unknown {
  const { name, message } = (failure ?? {}) as NodeJS.ErrnoException
  const isOtherKind = ofOtherKind.test(message ?? '') || needsOwn.test(message ?? '')
  if (failure !== undefined && !isOtherKind && name !== 'SyntaxError') throw wrong(path, failure)
  try {
    const { createJiti } = lazily('jiti') as typeof import('jiti')
    delete lazily.cache[path]
    return createJiti(path, { fsCache: false, alias: { [ownName]: ownEntry() } })(path)
  } catch (error) {
    // What Node says of a file of another kind says nothing about a mistake in it.
    throw wrong(path, isOtherKind ? error : (failure ?? error))
  }
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
    registerHooks({ resolve: (...args) => versioned(args[1], args[2](args[0], args[1]) as ResolvedModule) })
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

function versioned({ parentURL = '' }: { parentURL?: string }, module: ResolvedModule): ResolvedModule {
  const [, version] = /[?]mock=(\d+)$/.exec(parentURL) ?? []
  const isFile = module.url.startsWith('file:') && !module.url.includes('/node_modules/')
  return version !== undefined && isFile ? { ...module, url: `${module.url}?mock=${version}` } : module
}

const hooks = `const versioned = ${versioned}
export const resolve = async (specifier, context, next) => versioned(context, await next(specifier, context))`

function wrong(file: string, error: unknown): Error {
  if ((error as NodeJS.ErrnoException)?.code === 'ERR_REQUIRE_ASYNC_MODULE') {
    return new Error(`${shown(file)} cannot be loaded: it uses await outside of a function`)
  }
  const [first] = String((error as Error)?.stack ?? error).split('\n')
  const { message = first } = (error ?? {}) as Partial<Error>
  const [, text, place, line] = /^ParseError: (.*\S)\s*\n (.+):(\d+):\d+$/.exec(message as string) ?? []
  if (place !== undefined) return new Error(`${shown(place)}:${line} cannot be loaded: ${text}`)
  return new Error(`${placeIn(file, error)} cannot be loaded: ${message?.split('\nRequire stack:')[0]}`)
}

/** The file, with the line of a syntax error. The error of an import has no line, but `node --check` gives it. */
function placeIn(file: string, error: unknown): string {
  if ((error as Error)?.name !== 'SyntaxError') return shown(file)
  const { spawnSync } = lazily('node:child_process') as typeof import('node:child_process')
  const [first = ''] = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' }).stderr.split('\n')
  return shown(file) + (/:\d+$/.exec(first)?.[0] ?? '')
}
