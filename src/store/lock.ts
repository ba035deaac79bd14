import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Keeps other processes out of a folder. Throws an Error that names the process that has it. Gives what lets go of it.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, 'lock')
  for (;;) {
    try {
      const handle = await open(file, 'wx')
      await handle.writeFile(`${process.pid}\n`)
      await handle.close()
      return () => rm(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const pid = Number(await readFile(file, 'utf8').catch(() => ''))
    if (isRunning(pid)) throw new Error(`${folder} is in use by the process ${pid}`)
    // Its process was killed.
    await rm(file, { force: true })
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
