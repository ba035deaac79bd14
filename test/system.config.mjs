import { base } from './base.config.mjs'

// Tests that need more than Node: other programs, or a built copy of the project. The service in Go is in whole.config.mjs.
export default {
  ...base,
  testMatch: ['<rootDir>/test/**/*.system.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/verify/fourth/'],
  globalSetup: '<rootDir>/test/needs.mjs'
}
