import { watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { clearTimeout, setTimeout } from 'node:timers'
import { shown } from '../../contract/load.js'
import { quiet, type Watch } from './watch.js'

/** Reloads a file of overrides when it changes: all of them, or none if one is wrong. */
export function watchOverrides(file: string, takeUp: () => number, tell: (line: string) => void): Watch {
  let timer: NodeJS.Timeout | undefined
  const reload = () => {
    try {
      tell(`reloaded ${shown(file)} (overrides: ${takeUp()})`)
    } catch (error) {
      tell(`kept the old overrides: ${(error as Error).message}`)
    }
  }
  // An editor may replace the file, so its folder is watched.
  const watcher = watch(dirname(resolve(file)), (_, name) => {
    if (name !== null && name !== basename(file)) return
    clearTimeout(timer)
    timer = setTimeout(reload, quiet)
  })
  watcher.on('error', (error) => tell(`${shown(file)} is no longer watched: ${error.message}`))
  return {
    close() {
      clearTimeout(timer)
      watcher.close()
    }
  }
}
