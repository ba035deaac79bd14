import full from './full.config.mjs'

process.env.PROOF = 'whole'

// The service in Go runs here alone, because few machines have Go.
export default { ...full, testMatch: [...full.testMatch, '<rootDir>/test/verify/fourth/*.system.ts'] }
