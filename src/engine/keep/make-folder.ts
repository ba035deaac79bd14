import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder and its parents. Throws an Error with the folder and the reason. Node's own recursive mkdir never ends if an
 * existing folder, such as /proc, reports ENOENT.
 */
export function makeFolder(path: string, mode?: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && !existsSync(dirname(path))) {
      makeFolder(dirname(path), mode)
      makeFolder(path, mode)
    } else if (!existsSync(path) || !statSync(path).isDirectory())
      throw new Error(code === 'EEXIST' ? `${path} is a file` : `${path} cannot be created (${code})`)
  }
}
