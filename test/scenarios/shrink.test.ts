import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { scenarioCommand } from '../../src/doors/cli/scenario.js'
import { createMock } from '../../src/doors/program/mock.js'
import { shrinking } from '../../src/doors/program/scenarios/runner.js'
import type { Scenario } from '../../src/engine/contract/types.gen.js'
import { invoke } from '../invoke.js'

const scenario = (args: string[]) => invoke(scenarioCommand(), args)

const folder = mkdtempSync(join(tmpdir(), 'kcm-shrink-'))

test('shrinking finds the necessary things among many, and tries few of the possible lists', () => {
  const all = Array.from({ length: 500 }, (_, at) => at)
  const needed = fc.uniqueArray(fc.nat(499), { maxLength: 6 })
  fc.assert(
    fc.property(needed, (wanted) => {
      const search = shrinking(all)
      let tries = 0
      let next = search.next()
      while (!next.done) {
        const { value } = next
        tries += 1
        next = search.next(wanted.every((it) => value.includes(it)))
      }
      expect(next.value).toEqual([...wanted].sort((a, b) => a - b))
      expect(tries).toBeLessThan(200)
    })
  )
})

/** A capsule in which an agent is deleted among many other calls, and then read. */
async function writeCapsule(): Promise<string> {
  const mock = createMock({ now: '2026-03-02T10:00:00.000Z' })
  const ask = (method: string, path: string) =>
    mock.fetch(`http://mock.invalid${path}`, { method, headers: { Authorization: 'Bearer admin' } })
  const box = mock.sandbox()
  box.weather('degrading')
  box.weather('fair')
  for (let at = 0; at < 10; at++) box.create('labels')
  for (let at = 0; at < 5; at++) await ask('GET', '/api/persona/1')
  await ask('DELETE', '/api/persona/1')
  box.clock.advance('1h')
  for (let at = 0; at < 5; at++) await ask('GET', '/api/persona/2')
  await ask('GET', '/api/persona/1')
  for (let at = 0; at < 5; at++) box.create('labels')
  const file = join(folder, 'capsule.json')
  writeFileSync(file, JSON.stringify(box.capsule()))
  await mock.close()
  return file
}

test('scenario shrink keeps the steps that a request needs for its answer, and the result can be run', async () => {
  const file = await writeCapsule()
  const out = join(folder, 'shrunk.json')
  const { code, stderr } = await scenario(['shrink', file, '--expect', 'r12', '--out', out])
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^2 of \d+ steps are left, after \d+ plays\n$/)])
  const { steps } = JSON.parse(readFileSync(out, 'utf8')) as Scenario
  expect(steps.map(({ call }) => [call?.operation, call?.expect?.status])).toEqual([
    ['deletePersona', 200],
    ['getPersona', 404]
  ])
  expect((await scenario(['run', out])).code).toBe(0)
})

test('scenario shrink keeps the last call that changed something if no request is named', async () => {
  const { code, stdout } = await scenario(['shrink', await writeCapsule()])
  expect([code, JSON.parse(stdout).steps.map(({ note }: { note: string }) => note)]).toEqual([0, ['r6']])
})

test('scenario shrink finds a request by its id and a part of its body, and ends with 1 if it differs, with 2 if it is unknown', async () => {
  const file = await writeCapsule()
  const good = await scenario(['shrink', file, '--expect', 'r3', '--body', '{"id": 1}'])
  expect([good.code, JSON.parse(good.stdout).steps]).toEqual([0, [expect.objectContaining({ note: 'r3' })]])
  const other = await scenario(['shrink', file, '--expect', 'r3', '--body', '{"id": 2}'])
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('body.id is 1, not 2')])
  const none = await scenario(['shrink', file, '--expect', 'r300'])
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('expect is r300: give the number of a call')])
})

test('scenario shrink refuses a step that has no answer, and a scenario in which none has one', async () => {
  const file = await writeCapsule()
  const weather = await scenario(['shrink', file, '--expect', '1'])
  expect([weather.code, weather.stderr]).toEqual([2, expect.stringContaining('expect is 1: give the number of a call')])
  const still = join(folder, 'still.json')
  writeFileSync(still, JSON.stringify({ steps: [{ clock: { advance: '1h' } }] }))
  const none = await scenario(['shrink', still])
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('has no call and no control step')])
})
