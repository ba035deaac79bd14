import { isSample, isWhole } from '../extent.js'
import { bugs } from '../verify/foreign/switches/bugs/index.js'
import { choices } from '../verify/foreign/switches/choices/index.js'
import { found, legal, missed, mistaken } from './cases.js'
import { drive } from './client.js'
import { foreign } from './run.js'

/** No machine is too slow. */
const patience = 3_600_000

const calls = isSample ? 60 : 5000

test(
  'next to a right service of another stack a shadow finds nothing, whatever a client calls',
  async () => {
    const { findings, checks } = await foreign({}, (proxy) => drive(proxy, { seed: 2, calls }))
    expect(findings).toEqual([])
    const same = checks.filter(({ check }) => check === 'same_as_mock').reduce((sum, { times }) => sum + times, 0)
    expect(same).toBeGreaterThan(calls * 0.7)
  },
  patience
)

// Who calls few operations leaves much unknown.
const parts = [...new Set(found.map((id) => bugs[id]?.at))]

test.each(isSample ? ['E22,E24'] : parts)(
  'next to a right service a shadow finds nothing when a client calls only %s',
  async (at) => {
    const { findings } = await foreign({}, (proxy) => drive(proxy, { seed: 1, calls: 250, at }))
    expect(findings).toEqual([])
  },
  patience
)

/** What it finds of a bug, with a client that calls the operations that show it. */
const findingsOf = async (id: string) => {
  const { findings } = await foreign({ bugs: [id] }, (proxy) => drive(proxy, { seed: 1, calls: 250, at: bugs[id]?.at }))
  return findings
}

// In a sample, shadow.system.ts has some of each.
if (!isSample) {
  test.each(found)(
    'the bug %s is found',
    async (id) => {
      expect(await findingsOf(id)).not.toEqual([])
    },
    patience
  )

  test.each(legal)(
    'the choice %s is not a finding',
    async (id) => {
      const { findings } = await foreign({ choices: [id] }, (proxy) => drive(proxy, { seed: 1, calls: 150 }))
      expect(findings).toEqual([])
    },
    patience
  )
}

if (isWhole)
  test.each(Object.values(missed).flat())(
    'the bug %s is not found',
    async (id) => {
      expect(await findingsOf(id)).toEqual([])
    },
    patience
  )

test('every bug and choice of the proof is one of the foreign service', () => {
  const names = [...found, ...Object.values(missed).flat()]
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((it) => !bugs[it])).toEqual([])
  expect([...legal, ...Object.keys(mistaken)].filter((it) => !choices[it])).toEqual([])
})
