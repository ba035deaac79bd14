import full from './full.config.mjs'

process.env.PROOF = 'whole'

export default full
