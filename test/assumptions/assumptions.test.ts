import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContract } from '../../src/engine/contract/contract.js'
import { choose, defaultChoices, isChoice, pairsOf, profiles } from '../../src/engine/contract/ledger.js'
import { contractsFolder, type JsonObject, packageRoot, readJson } from '../../src/engine/contract/load.js'
import { documentUnder } from '../contract/document.js'
import { addressOf, bodyOf } from '../contract/examples.js'
import { choicesOf, documents, ledger, switchable } from './choices.js'
import { openPoints } from './description.js'
import type { Probe } from './probe.js'
import { probes } from './probes/index.js'
import { idsInContracts, readersInCode } from './readers.js'
import { startSandboxes } from './sandboxes.js'

const sandboxFor = await startSandboxes()

/** Which operations name an entry in X-Mock-Assumed: in every probe, and in all examples of both profiles. */
const seen = new Map<string, Set<string>>()
const see = (operation: string | null | undefined, ids: Iterable<string>) => {
  for (const id of operation ? ids : []) seen.set(id, (seen.get(id) ?? new Set()).add(operation as string))
}

const points = openPoints(readFileSync(join(packageRoot(), 'contracts/interface.md'), 'utf8'))
const count = (place: string) => points.filter((it) => it === place).length

test('the description leaves points open', () => {
  expect(points.length).toBeGreaterThan(20)
})

test.each([...new Set(points)])(
  'the description at %s has an entry of the ledger for everything that it does not show',
  (place) => {
    const entries = ledger.filter((entry) => entry.place.includes(place))
    expect(entries.length).toBeGreaterThanOrEqual(count(place))
  }
)

const inCode = readersInCode()
const inContracts = idsInContracts()

test('the ledger has every id once, and every question and reason in words', () => {
  expect(new Set(ledger.map(({ id }) => id)).size).toBe(ledger.length)
  for (const { question, reason, choices, place } of ledger) {
    expect(question).toMatch(/^[A-Z].*\?$/)
    expect(reason).toMatch(/^[A-Z].*\.$/)
    expect(Object.values(choices).every((text) => text !== '') && place.length > 0).toBe(true)
  }
})

test.each(switchable.map(({ id }) => id))(
  'the ledger: %s is read in one place of the code, or changes a contract',
  (id) => {
    const places = inCode.get(id) ?? []
    expect(places.length + Number(inContracts.has(id))).toBeGreaterThan(0)
    expect(places.slice(1)).toEqual([])
  }
)

test.each(ledger.filter(({ fixed }) => fixed))(
  'the ledger: $id has one choice, and nothing reads it',
  ({ id, choices }) => {
    expect(Object.keys(choices)).toHaveLength(1)
    expect([inCode.get(id) ?? [], inContracts.has(id)]).toEqual([[], false])
  }
)

test('the ledger lists everything that is read', () => {
  const ofDocuments = readJson(join(contractsFolder, 'any-api', 'questions.json'))
  const ids = [...ledger.map(({ id }) => id), ...Object.keys(ofDocuments)]
  expect([...inCode.keys(), ...inContracts].filter((id) => !ids.includes(id))).toEqual([])
})

test('the ledger has two choices or more where there is a choice', () => {
  for (const entry of switchable) expect([entry.id, choicesOf(entry).length > 1]).toEqual([entry.id, true])
})

test.each(profiles)('choices of the profile %s are complete and valid', (profile) => {
  const choices = defaultChoices(ledger, profile)
  expect(Object.keys(choices)).toEqual(ledger.map(({ id }) => id))
  for (const entry of ledger) expect([entry.id, isChoice(entry, choices[entry.id] as string)]).toEqual([entry.id, true])
})

test('choices may have their own names, and the names of the profiles', () => {
  for (const entry of ledger) {
    const chosen = (choice: string) => choose(ledger, 'documented', [[entry.id, choice]])[entry.id]
    expect([chosen('documented'), chosen('observed')]).toEqual([entry.default, entry.observed])
    for (const choice of choicesOf(entry)) expect(chosen(choice)).toBe(choice)
  }
})

test('choices change nothing but their entry', () => {
  const changed = choose(ledger, 'observed', [['files.deletion', 'unlinked']])
  expect(changed).toEqual({ ...defaultChoices(ledger, 'observed'), 'files.deletion': 'unlinked' })
})

test('choices that are wrong are refused with the good ones, and so is an unknown id', () => {
  const chosen = (text: string) => () => choose(ledger, 'documented', pairsOf([text]))
  expect(chosen('files.deletion=gone')).toThrow('files.deletion has no choice "gone". Choices: unlinked, refused.')
  expect(chosen('files.lifecycle=after-n-reads')).toThrow('after-<n>-reads')
  expect(chosen('files.lifecycle=after-2-reads')).not.toThrow()
  expect(chosen('files.delete=refused')).toThrow(/no assumption "files\.delete".*files\.\w+/)
  expect(chosen('deletion=refused')).toThrow('files.deletion')
  expect(chosen('refused')).toThrow('assume is "refused": give <id>=<choice>')
})

test('the probes exist once for each entry with a choice', () => {
  expect(Object.keys(probes).sort()).toEqual(switchable.map(({ id }) => id).sort())
})

test.each(switchable.map((entry) => [entry.id, entry] as const))(
  'the probes show every choice of %s',
  async (id, entry) => {
    const named: string[] = []
    const shown = async (choice: string): Promise<string> => {
      const on = sandboxFor(choose(ledger, 'documented', [[id, choice]]))
      const result = JSON.stringify(await (probes[id] as Probe)(on))
      for (const { operation, assumptions } of on.sandbox.journal.entries()) see(operation, assumptions)
      if (on.assumed.has(id)) named.push(choice)
      return result
    }
    const results = new Map<string, string>()
    for (const choice of choicesOf(entry)) {
      const result = await shown(choice)
      expect([choice, 'shows the same as', results.get(result)]).toEqual([choice, 'shows the same as', undefined])
      results.set(result, choice)
    }
    // The choice causes what a probe shows, not chance.
    expect(results.get(await shown(entry.default))).toBe(entry.default)
    expect(named).not.toEqual([])
  }
)

describe('after the probes, the document', () => {
  const table = documentUnder('documented')['x-assumptions'] as Record<string, { operations: string[] | 'all' }>

  beforeAll(async () => {
    for (const profile of profiles) {
      const choices = choose(ledger, profile, [])
      for (const operation of createContract(documents, choices).operations.values()) {
        for (const { path, query, body } of Object.values(operation.examples)) {
          const on = sandboxFor(choices)
          await on.call(operation.method, addressOf(operation, path, query), bodyOf(operation, body))
          see(operation.id, on.assumed)
        }
      }
    }
  })

  test('names the assumptions on which responses of an operation depend', () => {
    const wrong = [...seen].flatMap(([id, operations]) => {
      const scope = table[id]?.operations as string[] | 'all'
      return scope === 'all'
        ? []
        : [...operations].filter((it) => !scope.includes(it) && !refuses(it, id)).map((it) => `${it} ${id}`)
    })
    expect(wrong).toEqual([])
  })

  test('has every entry where its effect is visible', () => {
    const unseen = switchable.flatMap(({ id }) => {
      const scope = table[id]?.operations as string[] | 'all'
      return scope === 'all' || scope.some((it) => seen.get(id)?.has(it)) ? [] : id
    })
    expect(unseen).toEqual([])
  })
})

/** Whether a refusal of the operation depends on it, under some choice. */
function refuses(operationId: string, id: string): boolean {
  const rows = Object.values(documents).flatMap((it) => ((it.operations ?? {}) as JsonObject)[operationId] ?? [])
  return JSON.stringify((rows[0] as JsonObject | undefined)?.refusals ?? {}).includes(`"${id}"`)
}
