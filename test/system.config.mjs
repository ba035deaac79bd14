import { base } from './base.config.mjs'

// Tests that need more than Node: other programs, or a built copy of the project.
export default { ...base, testMatch: ['<rootDir>/test/**/*.system.ts'], globalSetup: '<rootDir>/test/needs.mjs' }
