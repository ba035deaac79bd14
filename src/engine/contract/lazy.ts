import { createRequire } from 'node:module'
import { join } from 'node:path'
import { packageRoot } from './load.js'

/** Loads a CommonJS package on first use, so that it does not slow down the start. */
export const lazily = createRequire(import.meta.url)

/** Loads a package that the build has bundled into one file (see build.mjs). */
export const packed = (name: 'faker' | 'jsonpath' | 'linear' | 'multer' | 'sampler'): unknown =>
  lazily(join(packageRoot(), 'dist', `${name}.cjs`))
