import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogContent } from './log-file.js'
import type { LogPosition } from './medium.js'

/**
 * How much of a log was on the disk at some time, in a file beside it. It detects a log that was emptied or cut at the
 * end of a line.
 */
export interface Mark extends LogPosition {
  /** The id of the log. */
  log: string
}

export function markFile(folder: string): string {
  return join(folder, 'log.mark')
}

/** Undefined if there is none. Throws an Error if it cannot be read. */
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
  throw new Error(`${file} is damaged. Delete it to go on without this check of the log.`)
}

export function unreadable(file: string, { message }: NodeJS.ErrnoException): Error {
  return new Error(`${file} cannot be read: ${message}.`)
}

export async function writeMark(folder: string, mark: Mark): Promise<void> {
  const file = markFile(folder)
  await writeFile(`${file}.new`, `${JSON.stringify(mark)}\n`)
  await rename(`${file}.new`, file)
}

/** Why a log is not the one that was marked. Undefined if it is. */
export function lostSince(mark: Mark, { length, checksumThere, lines }: LogContent): string | undefined {
  const [header] = lines as { id?: string; after?: string | null }[]
  // The process ended between rewriting the log and marking it.
  if (header && header.after === mark.log) return undefined
  if (length < mark.length) return `it has ${length} bytes, but at least ${mark.length} were written`
  if (header?.id !== mark.log || checksumThere !== mark.checksum) return 'it is not the log that was written'
  return undefined
}
