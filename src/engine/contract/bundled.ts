import formats from 'ajv-formats/dist/formats.js'
import cors from 'cors'
import * as levenshtein from 'fastest-levenshtein'
import * as yauzl from '../../browser/yauzl.js'
import { Ajv2020 } from './validation/interpreter.js'

/** The packages in a bundle for browsers, or their replacements. */
const packages: Record<string, unknown> = {
  'ajv/dist/2020.js': { Ajv2020, _: () => '', stringify: () => '' },
  'ajv-formats/dist/formats.js': formats,
  cors,
  'fastest-levenshtein': levenshtein,
  yauzl
}

export function addPackages(added: Record<string, unknown>): void {
  Object.assign(packages, added)
}

/** Replaces `lazily`: a package is in the bundle or does not exist. */
export const lazily = Object.assign(packed, { cache: {} as Record<string, unknown> })

export function packed(name: string): unknown {
  if (name in packages) return packages[name]
  throw new Error(`${name} is not in the bundle for browsers. knowledge-chat-mock static writes a worker that has it.`)
}
