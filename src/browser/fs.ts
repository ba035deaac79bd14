import { packageFiles } from 'package-files'

/** Files by path: those of the package and of a site. There are no others. */
const files = new Map(Object.entries(packageFiles))

/** Adds files that options may name, such as documents of `with`. */
export function addFiles(added: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(added)) files.set(path.startsWith('/') ? path : `/${path}`, text)
}

export function existsSync(path: string): boolean {
  return files.has(path) || isFolder(path)
}

export function readFileSync(path: string): string {
  const text = files.get(path)
  if (text !== undefined) return text
  throw Object.assign(new Error(`ENOENT: no such file: ${path}`), { code: 'ENOENT' })
}

/** The names in a folder; none if it does not exist. */
export function readdirSync(path: string): string[] {
  const folder = inside(path)
  const below = [...files.keys()].filter((it) => it.startsWith(folder))
  return [...new Set(below.map((it) => it.slice(folder.length).split('/')[0] as string))].sort()
}

export function statSync(path: string) {
  return { mtimeMs: 0, isDirectory: () => isFolder(path), isFile: () => files.has(path) }
}

export function realpathSync(path: string): string {
  return path
}

function isFolder(path: string): boolean {
  const folder = inside(path)
  return [...files.keys()].some((it) => it.startsWith(folder))
}

function inside(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}
