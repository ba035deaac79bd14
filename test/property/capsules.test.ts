import { createMock } from '../../src/doors/program/mock.js'
import { createRunner, shrink } from '../../src/doors/program/scenarios/runner.js'
import type { ScenarioStep } from '../../src/engine/contract/types.gen.js'
import { Doer } from '../capsules/deeds.js'
import { stateOf } from '../capsules/world.js'
import { isSample } from '../extent.js'
import { Random } from './random.js'

const mock = createMock({})
/** Starts differently in every way. */
const other = createMock({ seed: 99, now: '2020-01-01T00:00:00.000Z', profile: 'observed', fixtures: 'empty' })
const runner = await createRunner({ profile: 'documented', with: [] })
afterAll(() => Promise.all([mock.close(), other.close(), runner.close()]))

const [seeds, calls] = isSample ? [2, 100] : [100, 500]

const { operations } = mock.edition.contractOf(mock.edition.choices)
/** Whether a step changed something, by its operation and its status. */
function isWrite({ call }: ScenarioStep): boolean {
  const operation = operations.get(call?.operation ?? '')
  const { status = 200 } = call?.expect ?? {}
  return operation !== undefined && !operation.isReading && status >= 200 && status < 300
}

test.each(Array.from({ length: seeds }, (_, at) => at + 1))(
  `the capsule of ${calls} random calls of all operations and of the control API leads to the same state, and its shrunk form to one (seed %s)`,
  async (seed) => {
    const name = `s${seed}`
    const box = mock.sandbox(name)
    box.reset(seed % 2 === 0 ? { fixtures: 'demo', seed } : { fixtures: 'empty', seed, now: '2026-03-02T10:00:00Z' })
    const doer = new Doer(mock, name, new Random(seed))
    await doer.do(calls)
    const { description = '', ...capsule } = box.capsule({ uploads: 'whole' })
    box.clock.freeze()
    await other.sandbox(name).play(capsule)
    other.sandbox(name).clock.freeze()
    // The clock may have run on since.
    box.clock.now = other.sandbox(name).clock.now
    expect(await stateOf(other.fetch, other.sandbox(name))).toBe(await stateOf(mock.fetch, box))
    expect(description).toMatch(/^What happened in the sandbox s\d+ until /)

    // A body has ids, so it needs more steps than a status.
    const last = capsule.steps.findLast(isWrite)
    const body = seed % 10 === 1 ? last?.call?.expect?.body : undefined
    const { scenario } = await shrink(runner, capsule, body === undefined ? {} : { body })
    expect(scenario.steps.length).toBeLessThan(calls / 4)
    if (last) expect(scenario.steps.at(-1)?.note).toBe(last.note)
    const states: string[] = []
    for (const it of [mock, other]) {
      await it.sandbox(name).play(scenario)
      states.push(await stateOf(it.fetch, it.sandbox(name)))
      it.sandbox(name).drop()
    }
    expect(states[0]).toBe(states[1])
  }
)
