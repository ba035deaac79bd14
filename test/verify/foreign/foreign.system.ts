import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../src/engine/contract/load.js'
import { isWhole, sampled } from '../../extent.js'
import { missed } from './missed.js'
import { type Found, report } from './report.js'
import { caughtBy, findingsOf, resultOf } from './run.js'
import { bugs, bugsByKind } from './switches/bugs/index.js'
import { choices, choicesByKind } from './switches/choices/index.js'
import type { Switch } from './switches/switch.js'
import { Different } from './tour/client.js'
import { tour } from './tour/tour.js'

/** One of each kind; fewer in a sample, all of them with PROOF=whole. */
const sampleOfBugs = sampled(
  [
    'no-token E5',
    'no-token-for-head',
    'E21-everybody',
    'E4-kept',
    'E6-half',
    'E26-project',
    'E23-cuts',
    'E16-page-overlap',
    'race-E23',
    'unchecked E1 persona_id'
  ],
  5
)
const sampleOfChoices = sampled(['deleted-success', 'missing-400'], 2)

/** Choices of time, which the client does not look at. */
const unseen = new Set(['slow', 'clock-ahead', 'clock-behind', 'E25-moves-on', 'E26-soft-then-404'])

const some = (all: Record<string, Switch>, sample: readonly string[]) =>
  Object.entries(all).filter(([id]) => isWhole || sample.includes(id))

const all = { choices: some(choices, sampleOfChoices), bugs: some(bugs, sampleOfBugs) }
const each = (['choices', 'bugs'] as const).flatMap((kind) => all[kind].map(([id]) => [kind, id] as const))

/** A choice of the sample shows in these. */
const choiceOperations = isWhole ? '*' : 'E4,E5,E9,E22,E25'

/** Generated requests per operation. */
const cases = isWhole ? 10 : 2

/** No machine is too slow. */
const patience = 600_000

const caught: Found = new Map()
const alarms: Found = new Map()

test(
  'on a right service of another stack, verify finds nothing',
  async () => {
    expect(await findingsOf({}, '*', cases)).toEqual([])
  },
  patience
)

test(
  'a change that happens only once is listed as not checked',
  async () => {
    const { notChecked } = await resultOf({ choices: ['somebody-once'] }, 'E1', 0)
    const why = 'it changed once, which may be another client'
    expect(notChecked).toContainEqual(expect.objectContaining({ operation: 'createChatSession', why }))
  },
  patience
)

test('every switch is there once, and says what it does', () => {
  const kinds = [...Object.values(bugsByKind), ...Object.values(choicesByKind)]
  const ids = kinds.flatMap((kind) => Object.keys(kind))
  expect(new Set(ids).size).toBe(ids.length)
  for (const { says } of Object.values({ ...bugs, ...choices })) expect(says).toMatch(/^[A-Z\w].{8,}\.$/)
  for (const { breaks } of Object.values(bugs)) expect(breaks).toMatch(/^(E\d|\d)/)
})

describe('a client that asks for everything', () => {
  let plain: string[]
  beforeAll(async () => {
    plain = await tour({})
  }, patience)

  test('sees no failure', () => {
    expect(plain.filter((line) => / 5\d\d content-type/.test(line))).toEqual([])
  })

  test(
    'sees the same each time',
    async () => {
      expect(await tour({}, plain)).toEqual(plain)
    },
    patience
  )

  test.each(each.filter(([, id]) => !unseen.has(id)))(
    'sees of the %s %s that it makes a difference',
    async (kind, id) => {
      await expect(tour({ [kind]: [id] }, plain)).rejects.toBeInstanceOf(Different)
    }
  )
})

test.each(all.choices)(
  'the choice %s is no fault',
  async (id) => {
    const findings = await findingsOf({ choices: [id] }, choiceOperations, cases)
    alarms.set(
      id,
      findings.map((it) => `${it.operation} ${it.check}, ${it.title}: ${it.expected}`)
    )
    expect(findings).toEqual([])
  },
  patience
)

test.each(all.bugs)(
  'the bug %s is found, unless no client can see it',
  async (id, bug) => {
    const checks = await caughtBy(id, bug)
    caught.set(id, checks)
    expect(checks.length > 0).toBe(!Object.hasOwn(missed, id))
  },
  patience
)

afterAll(() => {
  const isAll = caught.size === Object.keys(bugs).length && alarms.size === Object.keys(choices).length
  if (isAll) writeFileSync(join(packageRoot(), 'test/verify/foreign/results.md'), report(caught, alarms))
})
