import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')

/** Bytes that an install of these packages takes: the packages and, each once, what they depend on. */
export function installedSize(packages) {
  const folders = new Set()
  for (const name of packages) collect(name === '.' ? root : join(here, 'node_modules', name), folders)
  let total = 0
  for (const folder of folders) total += folder === root ? ownSize() : sizeOf(folder)
  return total
}

function collect(folder, folders) {
  if (folders.has(folder)) return
  folders.add(folder)
  const { dependencies = {}, optionalDependencies = {} } = read(folder)
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = resolve(name, folder)
    if (found) collect(found, folders)
  }
}

/** Where node finds a package: in the nearest node_modules upwards. */
function resolve(name, from) {
  for (let at = from; at !== dirname(at); at = dirname(at)) {
    const folder = join(at, 'node_modules', name)
    if (existsSync(folder)) return folder
  }
  return undefined
}

/** What package.json publishes of this package. */
function ownSize() {
  return ['dist', 'contracts', 'README.md', 'LICENSE', 'package.json'].reduce(
    (sum, name) => sum + sizeOf(join(root, name)),
    0
  )
}

function sizeOf(path) {
  if (!existsSync(path)) return 0
  const status = statSync(path)
  if (!status.isDirectory()) return status.size
  return readdirSync(path)
    .filter((name) => name !== 'node_modules')
    .reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

function read(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** The version of an installed package. */
export function versionOf(name) {
  return read(name === '.' ? root : join(here, 'node_modules', name)).version
}
