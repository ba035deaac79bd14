import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogContent, Place } from './log-file.js'

/**
 * How far a log was on the disk at some time, kept in a file beside it: a log that was emptied, or cut at the end of a
 * line, does not show it.
 */
export interface Mark extends Place {
  /** The id of the log. */
  log: string
}

export function markFile(folder: string): string {
  return join(folder, 'log.mark')
}

/** Undefined where there is none. Throws an Error when it is something else. */
export async function readMark(folder: string): Promise<Mark | undefined> {
  const file = markFile(folder)
  try {
    const mark = JSON.parse(await readFile(file, 'utf8'))
    if (Number.isInteger(mark?.length) && Number.isInteger(mark.checksum)) return mark
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code !== undefined) throw unreadable(file, error as NodeJS.ErrnoException)
  }
  throw new Error(`${file} is damaged. Delete it to go on without what it says of the log.`)
}

export function unreadable(file: string, { code, message }: NodeJS.ErrnoException): Error {
  return new Error(
    `${file} ${code === 'EISDIR' ? 'is a folder, not a file. Move it away' : `cannot be read: ${message}`}.`
  )
}

export async function writeMark(folder: string, mark: Mark): Promise<void> {
  const file = markFile(folder)
  await writeFile(`${file}.new`, `${JSON.stringify(mark)}\n`)
  await rename(`${file}.new`, file)
}

/** The reason why a log is not the one that was marked; undefined: there is none. */
export function lostSince(mark: Mark, { length, checksumThere, lines }: LogContent): string | undefined {
  const [header] = lines as { id?: string; after?: string | null }[]
  // The process ended between writing the log anew and marking it.
  if (header && header.after === mark.log) return undefined
  if (length < mark.length) return `it holds ${length} bytes of at least ${mark.length} that were written`
  if (header?.id !== mark.log || checksumThere !== mark.checksum) return 'it is not the log that was written'
  return undefined
}
