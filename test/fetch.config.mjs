import doors from './doors.config.mjs'

process.env.TEST_DOOR = 'fetch'

export default doors
