import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from '@swc/core'
import { checkSync } from 'recheck'
import { isObject, type Json, packageRoot } from '../src/engine/contract/load.js'
import { isSample } from './extent.js'

// Without child processes, which would outlive the test.
process.env.RECHECK_SYNC_BACKEND = 'pure'

const root = packageRoot()
const folders = ['src', 'fixtures'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
)
// The build reads no text from clients.
const files = folders.filter(
  (name) => /(?<!\.gen)\.(tsx?|mjs)$/.test(name) && !name.endsWith('.d.ts') && !name.startsWith(join('src', 'build'))
)

/** Every expression, by its text, with the first file that has it. */
const expressions = new Map<string, { source: string; flags: string; file: string }>()
/** The files that make expressions of texts. */
const making = new Set<string>()

const add = (source: string, flags: string, file: string) =>
  expressions.set(`/${source}/${flags}`, { source, flags, file })

for (const file of files) {
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, pattern, flags, callee } = node as Record<string, unknown>
    if (type === 'RegExpLiteral') add(pattern as string, flags as string, file)
    const isMade = type === 'NewExpression' || type === 'CallExpression'
    if (isMade && (callee as { value?: string }).value === 'RegExp') making.add(file)
    for (const part of Object.values(node)) visit(part)
  }
  visit(parseSync(readFileSync(join(root, file), 'utf8'), { syntax: 'typescript', tsx: file.endsWith('x') }))
}

const addPatterns = (value: Json, file: string): void => {
  if (typeof value !== 'object' || value === null) return
  if (isObject(value) && typeof value.pattern === 'string') add(value.pattern, 'u', file)
  for (const part of Object.values(value)) addPatterns(part, file)
}
for (const name of readdirSync(join(root, 'contracts')).filter((it) => it.endsWith('.json'))) {
  addPatterns(JSON.parse(readFileSync(join(root, 'contracts', name), 'utf8')), `contracts/${name}`)
}

/** Whether the time for a text can grow faster than the text does. */
function faultOf(source: string, flags: string): string | undefined {
  // A search tries the branches one after another, so that all are linear if each is. If one is not, an earlier one may
  // always match, which only the whole shows.
  const branches = branchesOf(source)
  if (branches.length > 1 && branches.every((branch) => checked(branch, flags) === undefined)) return undefined
  return checked(source, flags)
}

function checked(source: string, flags: string): string | undefined {
  // Without an endless repetition it takes constant time. One such part, of one character each time, takes linear
  // time if it has one place to begin.
  const plain = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/g, '_')
  const repeats = plain.match(/.?(?:[*+]|\{\d*,\})/g) ?? []
  const isAnchored = plain.startsWith('^') && split(source)?.length === 1 && !flags.includes('m')
  if (repeats.length === 0 || (repeats.length === 1 && isAnchored && !repeats[0]?.startsWith(')'))) return undefined
  // With a seed and without time limits, a random search gives the same result on every machine.
  const noLimits = { timeout: null, incubationTimeout: null, attackTimeout: null }
  const found = checkSync(source, flags, { ...noLimits, randomSeed: 1, ...(isSample && { maxIteration: 3 }) })
  if (found.status === 'safe') return undefined
  return found.status === 'vulnerable' ? `vulnerable: ${found.complexity.summary}` : found.error.kind
}

/** The branches at the top of an expression: `a|b`, or `^(a|b)$`. */
function branchesOf(source: string): string[] {
  const [, inner, end] = /^\^\((?:\?:|(?!\?))(.*)\)(\$?)$/s.exec(source) ?? []
  const branches = inner === undefined ? undefined : split(inner)?.map((branch) => `^${branch}${end}`)
  return branches ?? split(source) ?? []
}

/** Cuts at each `|` outside of groups. Undefined if the text ends a group that begins before it. */
function split(source: string): string[] | undefined {
  const branches = ['']
  let depth = 0
  for (const [token] of source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|./gs)) {
    if (token === '(') depth++
    if (token === ')' && --depth < 0) return undefined
    if (token === '|' && depth === 0) branches.push('')
    else branches[branches.length - 1] += token
  }
  return branches
}

test('every expression in the code and the contracts takes linear time for any text', () => {
  expect(expressions.size).toBeGreaterThan(300)
  const faults = [...expressions].flatMap(([text, { source, flags, file }]) => {
    const fault = faultOf(source, flags)
    return fault === undefined ? [] : `${file} ${text} ${fault}`
  })
  expect(faults).toEqual([])
})

test.each(['\\s*,\\s*', '[;\\s]+$', '^[\\w+/\\s-]*={0,2}\\s*$', '^(\\w+\\s?)*$', '^(a?a?)*$', '^v(.+)-(.+)-(.+)$'])(
  'the check finds %s',
  (source) => expect(faultOf(source, '')).toMatch(/^vulnerable/)
)

test('no other file makes expressions of texts', () => {
  expect([...making].sort()).toEqual([
    // Names of choices, which are words with numbers.
    'src/engine/contract/ledger.ts',
    // Patterns of documents: tested in linear time, or with a deadline.
    'src/engine/contract/schemas/linear.ts',
    'src/engine/contract/schemas/patterns.ts',
    // Patterns of the contracts: those above.
    'src/engine/contract/validation/interpreter.ts',
    // The name of a cookie, between characters that it cannot have.
    'src/engine/serve/message/caller.ts',
    'src/engine/serve/message/visitor-cookie.ts',
    // Short tokens, as words.
    'src/tools/verify/calls/redact.ts',
    // Ids and paths of the contract, as words.
    'src/tools/verify/report/place.ts'
  ])
})
