import { createRequire } from 'node:module'

/** Loads a CommonJS package when it is first needed, so that it does not slow down the start. */
export const lazily = createRequire(import.meta.url)
