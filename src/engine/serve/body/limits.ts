import { Refusal } from '../../contract/message/refusal.js'
import type { Assumptions } from '../../contract/types.gen.js'

/** The limits of one request; sizes in bytes. */
export interface Limits {
  files: number
  /** All files together. */
  total: number
  json: number
  zipEntries: number
  /** All entries of a zip together, uncompressed. */
  unpacked: number
}

const mebibyte = 1024 * 1024

const standard: Limits = {
  files: 20,
  total: 100 * mebibyte,
  json: 10 * mebibyte,
  zipEntries: 10_000,
  unpacked: 1024 * mebibyte
}

const none: Limits = {
  files: Number.POSITIVE_INFINITY,
  total: Number.POSITIVE_INFINITY,
  json: Number.POSITIVE_INFINITY,
  zipEntries: Number.POSITIVE_INFINITY,
  unpacked: Number.POSITIVE_INFINITY
}

/** The limits of a choice of `limits.upload`. */
export function limitsOf(choice: Assumptions['limits.upload']): Limits {
  if (choice === 'standard') return standard
  if (choice === 'none') return none
  const [files, total, json, zipEntries, unpacked] = [...choice.matchAll(/\d+/g)].map(Number) as [
    number,
    number,
    number,
    number,
    number
  ]
  return { files, total: total * mebibyte, json: json * mebibyte, zipEntries, unpacked: unpacked * mebibyte }
}

/** The refusal of a request that exceeds a limit of `limits.upload`. */
export function tooLarge(what: string, limit: number, name: keyof Limits): Refusal {
  return new Refusal('too-large', {
    detail: `The ${what} are larger than ${limit} bytes together (limits.upload: ${name}).`
  })
}
