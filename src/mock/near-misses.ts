import type { Operation } from '../contract/contract.js'
import type { Problem } from '../contract/explain.js'
import { lazily } from '../contract/lazy.js'
import type { NearMiss } from '../contract/types.gen.js'

/** So many are told of one request, if they are near enough to help. */
const most = 3
const farthest = 0.35
/** Segments that differ more are not the same one with a slip: one is missing, and the other is too much. */
const mostChanged = 0.5
/** What differs in upper and lower case only, differs. */
const leastChanged = 0.05
/** Longer segments are compared by their beginnings. */
const longestSegment = 100

/** A way from what was asked to what is documented: what it costs, and its steps in words. */
interface Way {
  cost: number
  steps: string[]
}

/** The operations nearest to a method and a path that no operation has: the nearest first. */
export function nearMisses(operations: Iterable<Operation>, method: string, path: string): NearMiss[] {
  const asked = path.split('/').slice(1)
  return [...operations]
    .map((operation) => missOf(operation, method, asked))
    .filter(({ distance }) => distance <= farthest)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
}

/** The operation itself, for a request that its contract does not let through. */
export function nearMissOf(operation: Operation, problems: readonly Problem[]): NearMiss {
  const steps = problems.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
  const cost = problems.length / (problems.length + 1)
  return near(operation, operation.path.split('/').length - 1, { cost, steps })
}

function missOf(operation: Operation, method: string, asked: string[]): NearMiss {
  const documented = operation.path.split('/').slice(1)
  const way = wayBetween(asked, documented)
  const length = Math.max(asked.length, documented.length)
  if (operation.method === method) return near(operation, length, way)
  return near(operation, length, {
    cost: way.cost + 1,
    steps: [`the method is ${operation.method}, not ${method}`, ...way.steps]
  })
}

/** Every segment counts at most 1, and so do the method and what the request carries. */
function near({ id, method, path }: Operation, segments: number, { cost, steps }: Way): NearMiss {
  const distance = Math.round((1000 * cost) / (segments + 2)) / 1000
  return { operation: id, method, path, distance, difference: steps.join('; ') }
}

/** The least way from the segments asked to those documented, by Wagner and Fischer: row by row of a table of ways. */
function wayBetween(asked: string[], documented: string[]): Way {
  const from = (way: Way, cost: number, step: string): Way => ({
    cost: way.cost + cost,
    steps: cost === 0 ? way.steps : [...way.steps, step]
  })
  let row: Way[] = [{ cost: 0, steps: [] }]
  for (const segment of documented) row.push(from(row.at(-1) as Way, 1, `"${segment}" is missing`))
  for (const given of asked) {
    const next: Way[] = [from(row[0] as Way, 1, `"${given}" is too much`)]
    for (const [column, segment] of documented.entries()) {
      const ways = [
        from(row[column] as Way, segmentDistance(given, segment), `"${given}" should be "${segment}"`),
        from(row[column + 1] as Way, 1, `"${given}" is too much`),
        from(next[column] as Way, 1, `"${segment}" is missing`)
      ]
      next.push(ways.reduce((least, way) => (way.cost <= least.cost ? way : least)))
    }
    row = next
  }
  return row.at(-1) as Way
}

/** The share of characters that differ; a parameter is anything. */
function segmentDistance(given: string, documented: string): number {
  if (documented.startsWith('{')) return given === '' ? Number.POSITIVE_INFINITY : 0
  if (given === documented) return 0
  const { distance } = lazily('fastest-levenshtein') as typeof import('fastest-levenshtein')
  const text = given.slice(0, longestSegment)
  const changed = distance(text.toLowerCase(), documented.toLowerCase()) / Math.max(text.length, documented.length)
  return changed > mostChanged ? Number.POSITIVE_INFINITY : Math.max(changed, leastChanged)
}
