import { readJson } from '../../contract/load.js'
import { isTexts, type Kind } from './kinds.js'

/** Choices by ledger id, or as `id=choice`. The ledger checks whether they exist. */
export const choices: Kind<Record<string, string> | readonly string[]> = {
  type: 'Record<string, string> | readonly string[]',
  wanted: '{ id: choice }, or a list of <id>=<choice>',
  placeholder: 'id=choice',
  isList: true,
  parse: (text) => (text.startsWith('@') ? pairsIn(text.slice(1)) : splitPairs(text)),
  read(given) {
    const isGood = Array.isArray(given) ? isTexts(given) : typeof given === 'object' && given !== null
    return isGood ? (given as Record<string, string> | string[]) : undefined
  }
}

/** The choices in a file that `verify --write-assumptions` wrote. */
function pairsIn(file: string): string[] {
  return Object.entries(readJson(file)).map(([id, choice]) => `${id}=${choice}`)
}

/** A choice may contain commas, so a comma separates only if an `id=` follows. */
function splitPairs(text: string): string[] {
  return text.split(/,(?=[a-z-]+(?:\.[a-z_-]+)?=)/)
}
