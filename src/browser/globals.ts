/** What node has everywhere, where bundles stand in for it. */
export { Buffer } from './buffer.js'
export const process = { cwd: () => '/', env: {} }
