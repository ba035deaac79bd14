import { readFileSync } from 'node:fs'

const { jest } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** How `npm test` runs its files; other runs change which files. */
export const base = { ...jest, rootDir: new URL('..', import.meta.url).pathname }
