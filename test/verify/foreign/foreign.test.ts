import { isWhole } from '../../extent.js'
import { caughtBy, findingsOf } from './run.js'
import { bugs, bugsByKind } from './switches/bugs/index.js'
import { choices } from './switches/choices/index.js'
import type { Switch } from './switches/switch.js'

/** One of each kind; all of them with KCM_PROOF=whole. */
const sampleOfBugs = ['no-token E5', 'E21-everybody', 'E4-kept', 'E23-cuts', 'unchecked E1 persona_id']
const sampleOfChoices: string[] = []

const some = (all: Record<string, Switch>, sample: string[]) =>
  Object.entries(all).filter(([id]) => isWhole || sample.includes(id))

test('on a right service of another stack, verify finds nothing', async () => {
  expect(await findingsOf({})).toEqual([])
})

test('every switch is there once, and says what it does', () => {
  const ids = [...Object.values(bugsByKind).flatMap((kind) => Object.keys(kind)), ...Object.keys(choices)]
  expect(new Set(ids).size).toBe(ids.length)
  const all: Switch[] = [...Object.values(bugs), ...Object.values(choices)]
  for (const { says } of all) expect(says).toMatch(/^[A-Z\w].{8,}\.$/)
  for (const { breaks } of Object.values(bugs)) expect(breaks).toMatch(/^(E\d|\d)/)
})

if (sampleOfChoices.length > 0) {
  test.each(some(choices, sampleOfChoices))('the choice %s is no fault', async (id) => {
    expect(await findingsOf({ choices: [id] })).toEqual([])
  })
}

test.each(some(bugs, sampleOfBugs))('the bug %s is found', async (id, bug) => {
  expect(await caughtBy(id, bug)).not.toEqual([])
})
