import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../src/engine/contract/load.js'

/** The documents that people read, by their paths in the repository. */
export const documents = new Map(
  pathsIn('.')
    .filter((path) => path.endsWith('.md'))
    .map((path) => [path, readFileSync(join(packageRoot(), path), 'utf8')])
)

/** The one document that contains a text. */
export function documentWith(text: string): string {
  const holders = [...documents].filter(([, document]) => document.includes(text))
  const [holder] = holders
  if (!holder || holders.length > 1) throw new Error(`${holders.length} documents hold ${text}`)
  return holder[1]
}

function pathsIn(folder: string): string[] {
  return readdirSync(join(packageRoot(), folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`
    if (!entry.isDirectory()) return [path]
    return entry.name.startsWith('.') || ['node_modules', 'dist'].includes(entry.name) ? [] : pathsIn(path)
  })
}
