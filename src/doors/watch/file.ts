import { watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { clearTimeout, setTimeout } from 'node:timers'
import { shown } from '../../engine/contract/load.js'
import { quiet, type Watch } from './watch.js'

interface WatchedFile {
  file: string
  /** Such as `overrides`. */
  what: string
  /** Reads the whole file, or changes nothing. Returns its contents in a few words; undefined: there was nothing to read. */
  takeUp: () => string | Promise<string | undefined>
  tell: (line: string) => void
}

/** Reads a file again when it changes. */
export function watchFile({ file, what, takeUp, tell }: WatchedFile): Watch {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const reload = async () => {
    try {
      const contents = await takeUp()
      if (contents !== undefined) tell(`reloaded ${shown(file)} (${contents})`)
    } catch (error) {
      tell(`kept the old ${what}: ${(error as Error).message}`)
    }
  }
  // An editor may replace the file, so its folder is watched.
  const watcher = watch(dirname(resolve(file)), (_, name) => {
    if (name !== null && name !== basename(file)) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = running.then(reload)
    }, quiet)
  })
  watcher.on('error', (error) => tell(`${shown(file)} is no longer watched: ${error.message}`))
  return {
    close() {
      clearTimeout(timer)
      watcher.close()
    }
  }
}
