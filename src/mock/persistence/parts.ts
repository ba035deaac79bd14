import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sandbox } from '../sandbox/sandbox.js'
import { Folder } from './folder.js'
import { lockFolder, type Unlock } from './lock.js'
import { makeFolder } from './make-folder.js'
import { StateLog, type StateOptions, wholeOf } from './state-log.js'

/** The file that names the folder of the parts. As long as there is none, the folder has one log. */
const pointer = 'parts'

/** The part of a sandbox: the same for the same number of parts. */
export function partOf(sandbox: string, count: number): number {
  // FNV-1a
  let hash = 0x811c9dc5
  for (let at = 0; at < sandbox.length; at++) hash = Math.imul(hash ^ sandbox.charCodeAt(at), 0x01000193)
  return ((hash ^ (hash >>> 15)) >>> 0) % count
}

/** What a folder is divided with. */
interface DivideOptions {
  /** Called only if the number of parts has changed. */
  options: () => StateOptions
  say: (text: string) => void
}

/**
 * A folder of which several processes of one machine each have a part. Returns the folders of the parts. If it has another
 * number of parts, or one log, it is divided anew: all of it, or nothing.
 */
export async function openParts(data: string, count: number, division: DivideOptions): Promise<[string[], Unlock]> {
  try {
    makeFolder(data)
  } catch (error) {
    throw new Error(`${(error as Error).message}. Give --data another folder.`)
  }
  const unlock = await lockFolder(data, division.say)
  try {
    return [await divided(data, count, division), unlock]
  } catch (error) {
    await unlock()
    throw error
  }
}

/** A folder that one process has. If it has parts, they are joined. */
export async function openWhole(data: string, division: DivideOptions): Promise<Folder> {
  if (!existsSync(join(data, pointer))) return Folder.open(data, division.say)
  const [[only], unlock] = await openParts(data, 1, division)
  return Folder.open(only as string, division.say, async () => unlock)
}

async function divided(data: string, count: number, { options, say }: DivideOptions): Promise<string[]> {
  const name = nameIn(data)
  const now = name === undefined ? 0 : countIn(name)
  if (now === count) return foldersOf(data, name as string)
  const next = `parts-${count}-${randomBytes(4).toString('hex')}`
  const old = name === undefined ? [data] : foldersOf(data, name)
  const settled = options()
  const sandboxes = (await Promise.all(old.map((folder) => readPart(folder, settled, folder === data)))).flat()
  const parts = foldersOf(data, next)
  for (const [part, folder] of parts.entries()) {
    await writePart(
      folder,
      settled,
      sandboxes.filter((it) => partOf(it.name, count) === part)
    )
  }
  await point(data, next)
  if (sandboxes.length > 0) say(`${data} now has ${count === 1 ? 'one log' : `${count} logs, one for each worker`}.`)
  if (name !== undefined) await rm(join(data, name), { recursive: true, force: true })
  else for (const file of ['log', 'log.mark']) await rm(join(data, file), { force: true })
  return parts
}

/** The name of the folder of the parts. */
function nameIn(data: string): string | undefined {
  const file = join(data, pointer)
  if (!existsSync(file)) return undefined
  const name = readFileSync(file, 'utf8').trim()
  if (countIn(name) > 0 && existsSync(join(data, name))) return name
  throw new Error(`${file} does not name a folder beside it with parts of the state. Put a copy of the folder back.`)
}

const countIn = (name: string) => Number(/^parts-(\d{1,4})-[0-9a-f]+$/.exec(name)?.[1] ?? 0)

function foldersOf(data: string, name: string): string[] {
  return Array.from({ length: countIn(name) }, (_, part) => join(data, name, String(part)))
}

/** `isLocked`: this process has its folder already. */
async function readPart(folder: string, options: StateOptions, isLocked: boolean): Promise<Sandbox[]> {
  const log = new StateLog(options, await Folder.open(folder, options.say, isLocked ? nobody : lockFolder))
  const read = await log.read()
  await log.close()
  return [...read.values()]
}

async function writePart(folder: string, options: StateOptions, sandboxes: readonly Sandbox[]): Promise<void> {
  const medium = await Folder.open(folder, options.say, nobody)
  const log = new StateLog(options, medium)
  await log.read()
  for (const sandbox of sandboxes) await log.append(wholeOf(sandbox, log.start()), () => {})
  await log.close()
  await medium.settle()
}

const nobody = async (): Promise<Unlock> => async () => {}

/** From here on the new parts are the state. */
async function point(data: string, name: string): Promise<void> {
  const file = join(data, `${pointer}.new`)
  const handle = await open(file, 'w')
  await handle.writeFile(`${name}\n`)
  await handle.sync()
  await handle.close()
  await rename(file, join(data, pointer))
  const folder = await open(data).catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}
