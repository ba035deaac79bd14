import type { Random } from '../../property/random.js'
import type { Generator } from '../case.js'
import { type Headers, hidden, message } from '../message.js'

/** More headers than a request may have, or larger ones: up to a hundred thousand. */
export const floodHeaders: Generator = (random, sandbox) => {
  const headers = random.pick(floods)(random)
  const bytes = message('DELETE', '/api/persona/1', sandbox, { headers })
  return { isWrong: true, steps: [bytes, hidden(random, sandbox)], finally: random.pick(['end', 'reset', 'end']) }
}

const floods: ((random: Random) => Headers)[] = [
  (random) => Array.from({ length: random.chance(0.1) ? 100_000 : 3000 }, (_, at) => [`X-${at}`, 'a']),
  (random) => Array.from({ length: random.int(201, 1500) }, () => ['a', '']),
  (random) => [['X-A', 'a'.repeat(random.pick([16_384, 100_000, 1_000_000]))]],
  (random) => [['a'.repeat(random.pick([16_384, 100_000])), 'x']],
  (random) => Array.from({ length: random.int(300, 800) }, () => ['Cookie', 'a=b']),
  (random) => [['Authorization', `Bearer ${'a'.repeat(random.int(16_384, 50_000))}`]]
]
