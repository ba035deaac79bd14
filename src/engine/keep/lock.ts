import { createHash, randomBytes } from 'node:crypto'
import { closeSync, constants, existsSync, openSync } from 'node:fs'
import { access, link, readdir, realpath, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { once } from '../contract/once.js'
import { makeFolder } from './make-folder.js'

export type Unlock = () => Promise<void>

/**
 * Keeps other processes on this machine out of a folder. The lock is a socket that this process listens on, so it ends with the
 * process. Throws an Error that names the process that has the folder.
 */
export async function lockFolder(folder: string, say: (text: string) => void = () => {}): Promise<Unlock> {
  await access(folder, constants.W_OK).catch((error) => {
    throw new Error(`${folder} cannot be written to (${error.code}). Give --data a folder that this user may write to.`)
  })
  const place = await realpath(folder)
  if (process.platform === 'win32') return lockOutside(folder, place)
  try {
    return await lockIn(folder, folder)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    // A listen error would be reported as an error of the port.
    if (!unable.has(code)) throw new Error(`${folder} cannot be locked: ${message}`)
    const unlock = await lockOutside(folder, place)
    say(
      `${folder} cannot hold a Unix socket (${code}), so its lock is in ${outside(place)}. ` +
        'A process with another temporary folder, such as in another container, is not kept out: start only one.'
    )
    return unlock
  }
}

/** Keeps other processes of this machine out of a file. Throws an Error that names the process that has it. */
export async function lockFile(file: string): Promise<Unlock> {
  return lockOutside(file, join(await realpath(dirname(file)), basename(file)))
}

/** Errors of file systems without sockets or hard links. */
const unable = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'ENAMETOOLONG'])

/** Where the lock of something is that cannot hold it. Windows has a space of names for pipes. */
function outside(place: string): string {
  const id = createHash('sha256').update(place).digest('hex').slice(0, 16)
  if (process.platform === 'win32') return `\\\\.\\pipe\\knowledge-chat-mock-${id}`
  return join(tmpdir(), `knowledge-chat-mock-${process.getuid?.()}-${id}`)
}

async function lockOutside(target: string, place: string): Promise<Unlock> {
  const path = outside(place)
  if (process.platform !== 'win32') {
    makeFolder(path, 0o700)
    return lockIn(path, target)
  }
  // Windows removes a named pipe with its process, and lets only one process use the name.
  try {
    const server = await listen(path)
    return () => close(server)
  } catch {
    throw inUse(target, (await ownerOf(path)) ?? 'another process')
  }
}

/**
 * The lock is the file `lock.<n>` with the highest number. A process first listens on a socket and then gives it the
 * next number by `link`, which fails if the number exists. The highest file is never deleted, even by its owner:
 * otherwise a slow process could start again with a low number. A socket without a listener is not a lock.
 */
async function lockIn(folder: string, target: string): Promise<Unlock> {
  const place = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  const path = (name: string) => socketPath(folder, place, name)
  const candidate = `lock.new-${randomBytes(8).toString('hex')}`
  let server: Server | undefined
  try {
    server = await listen(path(candidate))
    const number = await claim(folder, target, candidate, path)
    await rm(join(folder, candidate), { force: true })
    await clean(folder, number, path)
  } catch (error) {
    await close(server)
    await rm(join(folder, candidate), { force: true }).catch(() => {})
    closeSync(place)
    // Another process cleaned up and mistook the socket for a dead one, just before it listened.
    if (server && (error as NodeJS.ErrnoException).code === 'ENOENT') return lockIn(folder, target)
    throw error
  }
  return once(async () => {
    await close(server)
    closeSync(place)
  })
}

/** Returns the number for the socket `candidate`. */
async function claim(
  folder: string,
  target: string,
  candidate: string,
  path: (name: string) => string
): Promise<number> {
  for (;;) {
    const last = highest(await readdir(folder))
    const owner = last === 0 ? undefined : await ownerOf(path(`lock.${last}`))
    if (owner) throw inUse(target, owner)
    const file = join(folder, `lock.${last + 1}`)
    try {
      await link(join(folder, candidate), file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue
      throw error
    }
    // The number may be an old one whose file was deleted after the folder was read.
    if (highest(await readdir(folder)) === last + 1) return last + 1
    await rm(file, { force: true })
  }
}

/** Deletes old locks, and sockets of processes that ended before they got a number. */
async function clean(folder: string, number: number, path: (name: string) => string): Promise<void> {
  for (const name of await readdir(folder)) {
    const isOld = numberOf(name) > 0 && numberOf(name) < number
    const isDead = name.startsWith('lock.new-') && !(await ownerOf(path(name)).catch(() => 'another'))
    if (isOld || isDead) await rm(join(folder, name), { force: true })
  }
}

function highest(names: string[]): number {
  return Math.max(0, ...names.map(numberOf))
}

/** The number in a name: 12 for lock.12, 0 for others. */
function numberOf(name: string): number {
  return Number(/^lock\.(\d{1,15})$/.exec(name)?.[1] ?? 0)
}

/** The path of a socket has at most 103 bytes. Linux has a short path to any open folder. */
function socketPath(folder: string, place: number, name: string): string {
  const way = `/proc/self/fd/${place}`
  const path = join(existsSync(way) ? way : folder, name)
  if (Buffer.byteLength(path) <= 103) return path
  throw Object.assign(new Error(`the path ${path} is too long for a socket`), { code: 'ENAMETOOLONG' })
}

function inUse(folder: string, owner: string): Error {
  return new Error(`${folder} is in use by ${owner}`)
}

/** Listens, and sends every client the name of this process. */
function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.end(`the process ${process.pid} on ${hostname()}`, () => socket.destroy())
    })
    server.on('error', reject)
    // Other users must be able to connect, to see that the process is alive.
    server.listen({ path, exclusive: true, readableAll: true, writableAll: true }, () => resolve(server))
    server.unref()
  })
}

/** What the listening process reports about itself. Undefined if there is none. */
function ownerOf(path: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(path)
    const answer = () => {
      socket.destroy()
      resolve(text || 'another process')
    }
    socket.setTimeout(2000, () => {
      text ||= 'another process, which does not answer because it is stopped or busy'
      answer()
    })
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.once('end', answer)
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(undefined)
      else if (error.code === 'EACCES') reject(error)
      else answer()
    })
  })
}

function close(server: Server | undefined): Promise<void> {
  return new Promise((resolve) => (server ? server.close(() => resolve()) : resolve()))
}
