import full from './full.config.mjs'

process.env.KCM_PROOF = 'whole'

export default full
