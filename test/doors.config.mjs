import { base, filesWith } from './base.config.mjs'

process.env.TEST_DOOR = 'express'

// Every file whose mocks are called through the door under test.
const files = filesWith('startTestMock').filter((name) => name.endsWith('.test.ts'))

export default { ...base, testMatch: files }
