import { readdirSync, readFileSync } from 'node:fs'
import { base } from './base.config.mjs'

process.env.KCM_PROOF ??= 'full'

// Every file that asks extent.ts how much to try.
const here = new URL('.', import.meta.url).pathname
const files = readdirSync(here, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(test|system)\.ts$/.test(name) && !name.includes('node_modules'))
  .filter((name) => readFileSync(here + name, 'utf8').includes("/extent.js'"))

export default {
  ...base,
  testMatch: files.map((name) => `<rootDir>/test/${name}`),
  globalSetup: '<rootDir>/test/needs.mjs',
  testTimeout: 3_600_000
}
