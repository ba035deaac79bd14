import { entryOf, isChoice } from '../contract/ledger.js'
import type { InputError } from '../contract/model.js'
import { Invalid } from '../contract/pydantic/explain.js'
import { problemOf } from '../contract/validation/field-choices.js'
import { contextAt } from './journal/past.js'
import { type ControlContext, type ControlRules, wrong } from './rule.js'
import { contains } from './state/whole-state.js'

export const assumptionRules: ControlRules<'getAssumptions' | 'changeAssumptions'> = {
  getAssumptions({ query: { q = '', at } }, context) {
    const text = q.toLowerCase()
    const { assumptions } = ledgerOf(contextAt(context, at))
    return {
      assumptions: assumptions.filter((entry) => contains({ ...entry, choices: Object.entries(entry.choices) }, text))
    }
  },

  changeAssumptions: ({ body }, context) => {
    const { sandbox, ledger, contract } = context
    const changed: Record<string, string> = {}
    const problems: InputError[] = []
    for (const [id, choice] of Object.entries(body)) {
      const entry = ledger().find((it) => it.id === id)
      if (!entry) problems.push(wrong(['body', id], nearest(context, id)))
      else if (choice === 'documented') changed[id] = entry.default
      else if (choice === 'observed') changed[id] = entry.observed
      else if (isChoice(entry, choice)) {
        const problem = problemOf(contract.documents, id, choice, contract.api.examples.field)
        if (problem) problems.push(wrong(['body', id], problem))
        changed[id] = choice
      } else {
        const choices = Object.keys(entry.choices)
        problems.push(wrong(['body', id], `"${choice}" is not a choice. Choices: ${choices.join(', ')}.`, choices))
      }
    }
    if (problems.length > 0) throw new Invalid(problems)
    sandbox.choices = { ...sandbox.choices, ...changed }
    return ledgerOf(context)
  }
}

function ledgerOf({ sandbox, ledger }: ControlContext) {
  return { assumptions: ledger().map((entry) => ({ ...entry, choice: sandbox.choices[entry.id] as string })) }
}

function nearest({ ledger }: ControlContext, id: string): string {
  try {
    entryOf(ledger(), id)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}
