/**
 * How many cases the long proofs run: a sample in `npm test`, everything that takes minutes in `npm run test:full`, and in
 * `npm run verify:proof` every bug of the foreign service, every fault of every field, and five times as many generated
 * requests.
 */
const extent = process.env.PROOF || 'sample'

export const isSample = extent === 'sample'
export const isWhole = extent === 'whole'

/** In a sample every n-th of them, else all. */
export function sampled<T>(all: readonly T[], n: number): readonly T[] {
  return isSample ? all.filter((_, index) => index % n === n >> 1) : all
}
