import type { Contract } from '../../../engine/contract/contract.js'
import { Refusal } from '../../../engine/contract/message/refusal.js'
import type { Scenario, ScenarioPlayed, SceneShown } from '../../../engine/contract/types.gen.js'
import { playing } from '../../../engine/control/scenarios/play.js'
import { scenarioNamed, scenesOf } from '../../../engine/control/scenarios/scenarios.js'
import type { Edition } from '../../../engine/ledger/edition.js'
import type { Sandbox } from '../../../engine/sandbox/sandbox.js'
import { Transaction } from '../../../engine/sandbox/transaction.js'
import type { SandboxSource } from '../../../engine/serve/exchange.js'
import type { MockState } from '../mock-state.js'
import { checkedBody, scenariosIn } from '../option-files.js'
import { type Ask, drive } from './drive.js'

export type Scenarios = ReturnType<typeof createScenarios>

interface PlayOptions {
  /** Its start does not empty the journal. */
  keepsJournal?: boolean | undefined
  /** Aborts when no client waits for the end. */
  gone?: AbortSignal | undefined
}

/** How many may be played at the same time. One that reaches its own mock from outside could play itself. */
const mostAtOnce = 20

/** The scenarios of a mock. `ask` sends the requests of steps, without the guards for outside requests. */
export function createScenarios(mock: MockState, worlds: SandboxSource, ask: Ask) {
  const { sandboxes, edge } = mock
  let playingNow = 0
  let read: { of: Edition; all: ReadonlyMap<string, Scenario> } | undefined
  const all = () => {
    const now = mock.edition
    if (read?.of !== now) read = { of: now, all: scenariosIn(now.extensions.scenarios, now.contractOf(now.choices)) }
    return read.all
  }
  const scenarioOf = (source: string | Scenario, contract: Contract) =>
    typeof source === 'string' ? scenarioNamed(all(), source) : checkedBody(contract, 'playGiven', source)

  return {
    all,
    play,
    /** Shows the next scene of a scenario. The scenario is played before the first one, and again after the last one. */
    async nextScene(name: string, scenario: string, how?: PlayOptions): Promise<SceneShown> {
      const scenes = scenesOf(scenarioNamed(all(), scenario))
      if (scenes.length === 0) {
        const names = [...all()].filter(([, it]) => scenesOf(it).length > 0).map(([other]) => other)
        throw new Refusal('no-scenes', { name: scenario, known: names.join(', ') })
      }
      const { scene: shown } = worlds.useSandbox(name)
      const isNext = shown?.scenario === scenario && shown.number < scenes.length
      const number = isNext ? shown.number + 1 : 1
      const scene = scenes[number - 1] as (typeof scenes)[number]
      const show = () =>
        ask(`/__mock/snapshots/${scene.name}/restore`, { method: 'POST', headers: { 'X-Mock-Sandbox': name } })
      // The snapshot may have been deleted.
      if (!isNext || !(await show()).ok) {
        await play(name, scenario, how)
        await show()
      }
      worlds.useSandbox(name).scene = { scenario, number }
      return { scenario, ...scene, number, of: scenes.length }
    }
  }

  /** Rejects if it cannot be played or a step fails. The sandbox is then as it was before, and so are the other sandboxes. */
  async function play(name: string, source: string | Scenario, how: PlayOptions = {}): Promise<ScenarioPlayed> {
    if (playingNow >= mostAtOnce) throw new Refusal('too-many-scenarios', { limit: mostAtOnce, seconds: 1 })
    playingNow += 1
    try {
      return await played(name, source, how)
    } finally {
      playingNow -= 1
    }
  }

  async function played(name: string, source: string | Scenario, { keepsJournal, gone }: PlayOptions) {
    const sandbox = worlds.useSandbox(name)
    const contract = worlds.contract(sandbox)
    const scenario = scenarioOf(source, contract)
    const before = remembered(sandbox)
    const others = new Map<string, Sandbox | undefined>()
    const askNoting: Ask = (target, init) => {
      for (const other of sandboxesAt(target, init)) {
        if (other !== name && !others.has(other)) others.set(other, sandboxes.find(other))
      }
      return ask(target, init)
    }
    sandbox.scene = undefined
    try {
      return await drive(playing(contract, scenario, undefined, keepsJournal), askNoting, name, { gone })
    } catch (error) {
      await takeBack(name, before, others)
      if (!(error instanceof Error) || error.name !== 'StepFailure') throw error
      throw new Refusal('scenario-failed', { detail: error.message })
    }
  }

  /** Restores a sandbox, including exchanges that a reset removed. */
  function remembered(sandbox: Sandbox): (now: Sandbox) => void {
    const fork = sandbox.fork(sandbox.name, sandboxes.limits.journal)
    const { scene, coverage } = sandbox
    const calls = sandbox.calls.copy()
    const goBack = sandbox.journal.remember()
    return (now) => {
      now.takeOver(fork)
      Object.assign(now, { scene, coverage, calls })
      goBack()
    }
  }

  function sandboxesAt(target: string, { method, body }: RequestInit): string[] {
    const [, dropped] = /^\/__mock\/sandboxes(?:\/([^/?]+))?$/.exec(target) ?? [undefined, null]
    if (dropped === null || method === 'GET') return []
    if (method === 'POST') return [String(JSON.parse(String(body)).name)]
    return dropped === undefined ? sandboxes.list().map((it) => it.name) : [decodeURIComponent(dropped)]
  }

  async function takeBack(
    name: string,
    before: (now: Sandbox) => void,
    others: ReadonlyMap<string, Sandbox | undefined>
  ): Promise<void> {
    const sandbox = worlds.useSandbox(name)
    const transaction = new Transaction()
    transaction.enterWhole(sandbox)
    sandboxes.noting(transaction, () =>
      transaction.run(() => {
        before(sandbox)
        for (const [other, was] of others) {
          if (sandboxes.find(other) === was) continue
          sandboxes.drop(other)
          if (was) sandboxes.make(other, was)
        }
      })
    )
    await edge.keepAll(transaction)
  }
}
