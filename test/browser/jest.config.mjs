import { readFileSync } from 'node:fs'

// As the other tests are run, on files of this folder. Each starts a browser, so no more than two at a time.
const { jest } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const rootDir = new URL('../..', import.meta.url).pathname

export default { ...jest, rootDir, testMatch: ['<rootDir>/test/browser/*.browser.ts'], maxWorkers: 2 }
