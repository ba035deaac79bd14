import type { Json, JsonObject } from '../../src/engine/contract/load.js'
import type { Random } from '../property/random.js'

/** Names that all JavaScript objects have. */
export const inherited = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__'
]

const texts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ufeff',
  '\u202e',
  '\ud800',
  '\udc00x',
  '🙂',
  'e\u0301',
  'İ',
  'ß',
  '\r\nX-Injected: 1',
  '../../../../etc/passwd',
  '..\\..\\windows',
  '/dev/null',
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data',
  'http://[::1]:1/',
  'javascript:alert(1)',
  '<script>alert(1)</script>',
  "' OR 1=1 --",
  '#{7*7}',
  '{{7*7}}',
  '%00',
  '%2e%2e%2f',
  '%zz',
  '(a+)+$',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e999',
  '٣',
  '0x10',
  '1_000',
  '99999999999999999999',
  '-1',
  '00000000-0000-0000-0000-000000000000',
  '{2d1f3c58-4b0e-4f6a-9d8e-6f0a0e9b7c11}',
  'urn:uuid:2d1f3c58-4b0e-4f6a-9d8e-6f0a0e9b7c11',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '+275760-09-13T00:00:00.001Z',
  '2026-02-30T25:61:61+99:99',
  '1e400',
  'P1D',
  '2h',
  '-1h',
  '1e9d'
]

/** A text that UTF-8 can represent: without lone surrogates. */
export function wellFormed(given: string): string {
  return Buffer.from(given).toString()
}

export function text(random: Random): string {
  if (random.chance(0.05)) return random.pick(texts).repeat(random.pick([10, 1000, 20_000]))
  if (random.chance(0.1)) return random.pick(inherited)
  if (random.chance(0.2))
    return String.fromCodePoint(...Array.from({ length: random.int(1, 8) }, () => random.int(0, 0xd7ff)))
  return random.pick(texts)
}

const numbers = [
  0,
  -0,
  1,
  -1,
  7,
  0.1,
  1.5,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  2 ** 64,
  1e21,
  1e308,
  -1e308,
  5e-324
]

export function value(random: Random, depth = 0): Json {
  const kind = random.int(0, depth > 3 ? 3 : 6)
  if (kind === 0) return random.pick([null, true, false])
  if (kind === 1) return random.chance(0.5) ? random.pick(numbers) : random.int(-10, 10_000)
  if (kind <= 3) return text(random)
  if (kind === 4) return nested(random.pick([2, 50, 400, 499, 501, 2000]), random.chance(0.5))
  if (kind === 5) return Array.from({ length: random.pick([0, 1, 3, 100]) }, () => value(random, depth + 2))
  return object(random, depth)
}

function object(random: Random, depth: number): JsonObject {
  const made: JsonObject = Object.create(null)
  for (let count = random.pick([0, 1, 3, 50]); count > 0; count--) {
    set(made, random.chance(0.4) ? random.pick(inherited) : text(random), value(random, depth + 2))
  }
  return made
}

function nested(depth: number, inArrays: boolean): Json {
  let made: Json = 1
  for (let level = 0; level < depth; level++) made = inArrays ? [made] : { a: made }
  return made
}

/** Sets an own property whatever its name is. */
export function set(target: JsonObject, key: string, item: Json): void {
  Object.defineProperty(target, key, { value: item, enumerable: true, configurable: true, writable: true })
}

/** A value with one to three things changed somewhere in it. */
export function mutated(random: Random, given: Json | undefined): Json | undefined {
  let made = given === undefined ? undefined : (structuredClone(given) as Json)
  for (let count = random.int(1, 3); count > 0; count--) made = changed(random, made)
  return made
}

function changed(random: Random, given: Json | undefined): Json | undefined {
  if (typeof given !== 'object' || given === null || random.chance(0.1)) {
    return random.chance(0.05) ? undefined : value(random)
  }
  if (Array.isArray(given)) {
    const made = [...given]
    const at = random.int(0, made.length)
    if (random.chance(0.2)) made.splice(at, 1)
    else if (random.chance(0.3)) made.push(...Array.from({ length: random.pick([1, 2, 500]) }, () => value(random, 2)))
    else made[Math.min(at, made.length)] = changed(random, made[at]) ?? null
    return made
  }
  const keys = Object.keys(given)
  const key = random.pick(keys)
  if (keys.length === 0 || random.chance(0.2))
    set(given, random.chance(0.5) ? random.pick(inherited) : text(random), value(random, 2))
  else {
    const item = random.chance(0.2) ? undefined : changed(random, given[key])
    if (item === undefined) delete given[key]
    else set(given, key, item)
  }
  return given
}
