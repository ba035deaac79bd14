import { base } from './base.config.mjs'

// What needs more than Node: other programs, or a copy of the project that is built.
export default { ...base, testMatch: ['<rootDir>/test/**/*.system.ts'], globalSetup: '<rootDir>/test/needs.mjs' }
