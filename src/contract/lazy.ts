import { createRequire } from 'node:module'

/** Loads a CommonJS package when it is first needed: what a run does not use costs its start nothing. */
export const lazily = createRequire(import.meta.url)
