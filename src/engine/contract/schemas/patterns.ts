import { createContext, Script } from 'node:vm'
import { packed } from '../lazy.js'
import { Refusal } from '../message/refusal.js'
import type * as Linear from './linear.js'

/** A pattern in a user's document. It tests clients' texts, so no text may block the process. */
export interface Pattern {
  test(text: string): boolean
  /** ajv shares patterns that have the same text. */
  toString(): string
}

/** The patterns of the schemas of one validator, and how their checks are run. */
export function createPatterns(): { patternOf: (source: string) => Pattern; checkInTime: <T>(run: () => T) => T } {
  let hasSlow = false
  const addSlow = () => {
    hasSlow = true
  }
  return {
    /** A pattern is compiled on first use. One from another language matches everything. */
    patternOf: (source) => {
      let test: Pattern['test'] | undefined
      return {
        test: (text) => {
          test ??= compiled(source, addSlow)
          return test(text)
        },
        toString: () => source
      }
    },
    /** If a pattern may take exponential time, the whole check has one deadline. */
    checkInTime: (run) => (hasSlow ? inTime(run) : run())
  }
}

/** The pattern as JavaScript reads it, or undefined if it cannot. */
export function nativeOf(source: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags)
    } catch {}
  }
  return undefined
}

export function matches(source: string, text: string): boolean {
  return nativeOf(source) !== undefined && compiled(source)(text)
}

/** @param addSlow Called if only JavaScript's own engine supports the pattern. It may take exponential time. */
function compiled(source: string, addSlow = () => {}): Pattern['test'] {
  const native = nativeOf(source)
  if (!native) return () => true
  try {
    const test = (packed('linear') as typeof Linear).linear(source, native.flags)
    return (text) => (text.length > shortText ? inTime(() => test(text)) : test(text))
  } catch {
    addSlow()
    return (text) => inTime(() => native.test(text))
  }
}

const mostMilliseconds = 250
/** The number of characters that any pattern tests quickly. For longer texts, even linear time may be long. */
const shortText = 500
let isTimed = false
let timed: { script: Script; context: { run?: () => unknown } } | undefined

/** How often a check is run on a machine that is too busy for it. */
const mostTries = 4

/** Runs a check that has a deadline, after which the request is refused. */
function inTime<T>(run: () => T, tries = 1): T {
  if (isTimed) return run()
  timed ??= { script: new Script('run()'), context: createContext({}) }
  timed.context.run = run
  isTimed = true
  const before = globalThis.process?.cpuUsage?.()
  try {
    return timed.script.runInContext(timed.context, { timeout: mostMilliseconds })
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    // The deadline is by the clock. Others may have had the processor.
    const { user, system } = process.cpuUsage(before)
    isTimed = false
    if (tries < mostTries && user + system < mostMilliseconds * 500) return inTime(run, tries + 1)
    const detail = `A check took longer than ${mostMilliseconds} ms: a pattern of the document takes long with this text.`
    throw new Refusal('too-large', { detail })
  } finally {
    isTimed = false
  }
}
