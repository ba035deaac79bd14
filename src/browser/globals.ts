/** Replacements for node's globals in bundles. */
export { Buffer } from './buffer.js'
export const process = { cwd: () => '/', env: {} }
