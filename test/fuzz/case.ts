import { Random } from '../property/random.js'
import { abort } from './kinds/aborts.js'
import { callControl } from './kinds/control.js'
import { sendForm } from './kinds/forms.js'
import { breakFraming } from './kinds/framing.js'
import { floodHeaders } from './kinds/headers.js'
import { sendHeads } from './kinds/heads.js'
import { sendJson } from './kinds/json.js'
import { leave } from './kinds/leaving.js'
import { sendLong } from './kinds/long.js'
import { callOperation } from './kinds/operations.js'
import { askInVain } from './kinds/refused.js'
import { sendSlowly } from './kinds/slow.js'
import { aim } from './kinds/targets.js'
import { sendZip } from './kinds/zips.js'

/** The output of a generator: a request, or the bytes of a whole connection. */
export type Made = Request | Connection

interface Common {
  /** It must be refused, so it goes to the sandbox where nothing may change. */
  isWrong: boolean
  /** It may change the answers to others, so it goes to the sandbox of such cases. */
  isControl?: boolean
}

/** One correctly framed request, which shares its connection with others. */
export interface Request extends Common {
  method: string
  bytes: Buffer
}

/** A new connection. */
export interface Connection extends Common {
  /** Bytes, pauses in milliseconds, and waits for the first bytes of an answer. */
  steps: (Buffer | number | 'answer')[]
  /** How it ends: with the end of the stream, a broken connection, or by the server. */
  finally: 'end' | 'reset' | 'wait'
}

/** Makes one case; `sandbox` is the one that its requests name. */
export type Generator = (random: Random, sandbox: string) => Made

/** The share of a kind in a thousand cases, and its generator. */
export const kinds: Record<string, [weight: number, generator: Generator]> = {
  operations: [260, callOperation],
  refused: [70, askInVain],
  control: [150, callControl],
  json: [158, sendJson],
  long: [2, sendLong],
  forms: [70, sendForm],
  heads: [30, sendHeads],
  zips: [40, sendZip],
  targets: [150, aim],
  framing: [40, breakFraming],
  headers: [10, floodHeaders],
  aborts: [9, abort],
  leaving: [10, leave],
  slow: [1, sendSlowly]
}

export interface Case {
  seed: number
  number: number
  kind: string
  make(sandbox: string): Made
}

/** A case follows from a seed and its number, so that it can be repeated alone. `only`: cases of this kind. */
export function caseOf(seed: number, number: number, only?: string): Case {
  const random = new Random(mix(seed, number))
  // The kind takes one step whether it is chosen or given, so that the case stays the same.
  const drawn = kindAt(random.next())
  const kind = only ?? drawn
  const state = mix(number, seed)
  const [, make] = kinds[kind] as (typeof kinds)[string]
  return { seed, number, kind, make: (sandbox) => make(new Random(state), sandbox) }
}

function kindAt(position: number): string {
  const entries = Object.entries(kinds)
  let left = position * entries.reduce((sum, [, [weight]]) => sum + weight, 0)
  const found = entries.find(([, [weight]]) => {
    left -= weight
    return left < 0
  })
  return (found as (typeof entries)[number])[0]
}

function mix(a: number, b: number): number {
  let value = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35)
  value ^= value >>> 15
  return Math.imul(value, 0x27d4eb2f) ^ (value >>> 13)
}
