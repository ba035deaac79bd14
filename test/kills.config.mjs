import { base } from './base.config.mjs'

process.env.KCM_KILLS = '200'

export default { ...base, testMatch: ['<rootDir>/test/store/kills.system.ts'] }
