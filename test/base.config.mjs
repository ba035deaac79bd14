import { readdirSync, readFileSync } from 'node:fs'

const { jest } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const here = new URL('.', import.meta.url).pathname

/** How `npm test` runs its files; other runs choose other files. */
export const base = { ...jest, rootDir: new URL('..', import.meta.url).pathname }

/** The test files that contain a text. */
export function filesWith(text) {
  return readdirSync(here, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(test|system)\.ts$/.test(name) && !name.includes('node_modules'))
    .filter((name) => readFileSync(here + name, 'utf8').includes(text))
    .map((name) => `<rootDir>/test/${name}`)
}
