import { base } from '../base.config.mjs'

// Each file starts a browser, so no more than two at a time.
export default { ...base, testMatch: ['<rootDir>/test/browser/*.browser.ts'], maxWorkers: 2 }
