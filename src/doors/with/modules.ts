import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { lazily } from '../../contract/lazy.js'
import { shown } from '../../contract/load.js'

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

/** Loads the current version of modules, even if they were loaded before. */
export async function loadAll(files: readonly string[]): Promise<ModuleLoader> {
  const loaded = new Map<string, unknown>()
  for (const file of files) {
    const url = `${pathToFileURL(resolve(file)).href}?${statSync(file).mtimeMs}`
    try {
      loaded.set(file, await import(url))
    } catch (error) {
      throw wrong(file, error)
    }
  }
  return (file) => loaded.get(file)
}

function wrong(file: string, error: unknown): Error {
  if ((error as NodeJS.ErrnoException)?.code === 'ERR_REQUIRE_ASYNC_MODULE') {
    return new Error(`${shown(file)} cannot be loaded: it uses await outside of a function`)
  }
  const [first] = String((error as Error)?.stack ?? error).split('\n')
  return new Error(`${shown(file)} cannot be loaded: ${(error as Error)?.message ?? first}`)
}
