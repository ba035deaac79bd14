import { base, filesWith } from './base.config.mjs'

// Every file whose mocks are called through the door under test.
const files = filesWith('startTestMock').filter((name) => name.endsWith('.test.ts'))

export default { ...base, testMatch: files }
