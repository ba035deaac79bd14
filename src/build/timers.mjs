export { setImmediate } from 'node:timers'
