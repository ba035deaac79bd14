import type { Contract } from '../../../engine/contract/contract.js'
import { Refusal } from '../../../engine/contract/message/refusal.js'
import { Invalid } from '../../../engine/contract/pydantic/explain.js'
import { callProblems } from '../../../engine/control/scenarios/check-scenario.js'
import { requestOfCall } from '../../../engine/control/scenarios/request.js'
import type { AsyncControlRules } from '../../../engine/serve/control/control.js'
import type { Host } from '../host.js'
import { type Ask, answerOf } from '../scenarios/drive.js'
import type { Scenarios } from '../scenarios/scenarios.js'

interface ActsParts {
  ask: Ask
  scenarios: Scenarios
  contractIn: (sandbox: string) => Contract
  isExposed: boolean
  services: Host['services']
}

/** The operations of the control API that send requests, and wait for the answers. */
export function createActs({ ask, scenarios, contractIn, isExposed, services }: ActsParts): AsyncControlRules {
  return {
    playScenario: (sandbox, { path, query }, gone) =>
      scenarios.play(sandbox, path.name, { keepsJournal: query.keep_journal, gone }),
    playGiven: (sandbox, { body }, gone) => scenarios.play(sandbox, body, { gone }),
    nextScene: (sandbox, { path, query }, gone) =>
      scenarios.nextScene(sandbox, path.name, { keepsJournal: query.keep_journal, gone }),

    async callOperation(sandbox, { body: call }, gone) {
      const contract = contractIn(sandbox)
      const problems = callProblems(contract, call)
      if (problems.length > 0) throw new Invalid(problems.map((it) => ({ ...it, loc: ['body', ...it.loc] })))
      return answerOf(requestOfCall(contract, call), ask, { 'X-Mock-Sandbox': sandbox }, gone)
    },

    async verifyServer(_, { body }) {
      if (!services)
        throw new Refusal('node-needed', { detail: 'This mock has no Node around it, so it asks no server.' })
      // Others may know the control token. They must not call servers that only this machine can reach.
      if (isExposed) throw new Refusal('exposed')
      try {
        return await services.verify(body)
      } catch (error) {
        throw new Refusal('cannot-verify', { detail: (error as Error).message })
      }
    }
  }
}
