import { base, filesWith } from './base.config.mjs'

process.env.PROOF ??= 'full'

export default {
  ...base,
  // Every file that uses extent.ts.
  testMatch: filesWith("/extent.js'"),
  globalSetup: '<rootDir>/test/needs.mjs',
  testTimeout: 3_600_000
}
